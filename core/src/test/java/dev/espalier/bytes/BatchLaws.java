// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesContract.Law;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/** Batches and bulkload. */
final class BatchLaws {
  static final List<Law> LAWS =
      List.of(
          new Law("getAll answers what get answers", 4, BatchLaws::getAllAnswersWhatGetAnswers),
          new Law("putAll stores in ascending order", 4, BatchLaws::putAllStoresInOrder),
          new Law("bulkload loads all entries", 2, BatchLaws::bulkloadLoadsAllEntries),
          new Law("refused bulkload leaves nothing", 1, BatchLaws::refusedBulkloadLeavesNothing));

  private BatchLaws() {}

  private static void getAllAnswersWhatGetAnswers(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      List<byte[]> keys = bytes.keys(TestSize.of(400, 1200));
      keys.forEach(
          key -> {
            if (bytes.random.nextInt(4) > 0) {
              index.set(key, bytes.value());
            }
          });
      for (int count : new int[] {0, 1, 2, 7, 256, 700}) {
        List<byte[]> probes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          probes.add(bytes.oneOf(keys));
        }
        Map<Integer, Pieces> answers = new TreeMap<>();
        List<Pieces> last = new ArrayList<>();
        int found =
            index.getAll(
                anywhere(PackedBytes.of(probes)),
                (i, piece, from, length, position, total) -> {
                  Pieces answer = answers.computeIfAbsent(i, _ -> new Pieces());
                  assertFalse(answer.isComplete(), "a key is answered twice");
                  assertTrue(
                      last.isEmpty() || last.getFirst() == answer || last.getFirst().isComplete(),
                      "pieces of two values are mixed");
                  last.clear();
                  last.add(answer);
                  answer.read(piece, from, length, position, total);
                });
        int present = 0;
        for (int i = 0; i < count; i++) {
          byte[] expected = index.get(probes.get(i));
          Pieces answer = answers.get(i);
          assertEquals(expected != null, answer != null, "key " + i + " is answered");
          if (expected != null) {
            present++;
            assertNotNull(answer);
            assertArrayEquals(expected, answer.whole());
          }
        }
        assertEquals(present, found);
      }
    }
  }

  /** Returns the same batch within larger segments outside of the heap. */
  private static PackedBytes anywhere(PackedBytes batch) {
    return new PackedBytes(shifted(batch.bytes(), 1), shifted(batch.offsets(), 4), batch.count());
  }

  private static MemorySegment shifted(MemorySegment segment, long by) {
    MemorySegment copy = Arena.ofAuto().allocate(segment.byteSize() + by, 8).asSlice(by);
    return copy.copyFrom(segment);
  }

  private static void putAllStoresInOrder(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      BytesPair pair = new BytesPair(index);
      List<byte[]> pool = bytes.keys(300);
      for (int count : new int[] {0, 1, 2, 64, 600}) {
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          keys.add(bytes.oneOf(pool));
          values.add(bytes.value());
          pair.model.set(keys.getLast(), values.getLast());
        }
        index.putAll(anywhere(PackedBytes.of(keys)), PackedBytes.of(values));
        pair.assertSameEntries();
      }
      PackedBytes two = PackedBytes.of(pool.subList(0, 2));
      PackedBytes three = PackedBytes.of(pool.subList(0, 3));
      assertThrows(IllegalArgumentException.class, () -> index.putAll(two, three));
      pair.assertSameEntries();
    }
  }

  private static void bulkloadLoadsAllEntries(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    for (double fillFactor : new double[] {0.5, 0.7, 1}) {
      for (int count : new int[] {0, 1, 2, 60, 400}) {
        try (BytesIndex index = shape.create()) {
          BytesPair pair = new BytesPair(index);
          bytes.keys(count).forEach(key -> pair.model.set(key, bytes.value()));
          long[] done = {0, 0};
          index.bulkload(
              pair.model.cursor(),
              fillFactor,
              count,
              (soFar, total) -> {
                assertTrue(soFar >= done[0]);
                assertEquals(count, total);
                done[0] = soFar;
                done[1]++;
                return true;
              });
          assertEquals(count, done[0], "entries reported last");
          pair.assertSameEntries();
          // It can be changed like any other.
          List<byte[]> more = bytes.keys(60);
          pair.fill(bytes, more);
          pair.assertSameEntries();
          more.forEach(key -> assertEquals(pair.model.delete(key), index.delete(key)));
          pair.assertSameEntries();
        }
      }
    }
  }

  private static void refusedBulkloadLeavesNothing(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = bytes.keys(200);
    List<byte[]> twice = new ArrayList<>(keys);
    twice.add(150, keys.get(149));
    List<byte[]> falling = new ArrayList<>(keys);
    Collections.swap(falling, 98, 99);
    List<byte[]> tooLong = new ArrayList<>(keys.subList(0, 100));
    tooLong.add(NastyBytes.filled((byte) 0xFF, BytesIndex.MAX_KEY + 1));
    try (BytesIndex index = shape.create()) {
      for (List<byte[]> wrong : List.of(twice, falling, tooLong)) {
        assertThrows(
            IllegalArgumentException.class,
            () -> index.bulkload(new Entries(wrong), 0.9, -1, ProgressListener.NONE));
        assertNothing(index);
      }
      for (double fillFactor : new double[] {0.49, 1.01, Double.NaN}) {
        assertThrows(
            IllegalArgumentException.class,
            () -> index.bulkload(new Entries(keys), fillFactor, -1, ProgressListener.NONE));
        assertNothing(index);
      }
      assertThrows(
          CancellationException.class,
          () -> index.bulkload(new Entries(keys), 0.9, 200, (done, total) -> done < 200));
      assertNothing(index);
      index.bulkload(new Entries(keys), 0.9, -1, ProgressListener.NONE);
      assertEquals(200, index.size());
      assertThrows(
          IllegalStateException.class,
          () -> index.bulkload(new Entries(keys), 0.9, -1, ProgressListener.NONE));
      assertEquals(200, index.size());
    }
  }

  private static void assertNothing(BytesIndex index) {
    assertTrue(index.isEmpty());
    assertEquals(0, index.size());
    assertFalse(index.cursor().next());
    index.verify();
  }

  /** Entries whose values are their keys, in the order given. */
  private static final class Entries implements BytesEntrySource {
    private final List<byte[]> keys;
    private int at = -1;

    Entries(List<byte[]> keys) {
      this.keys = keys;
    }

    @Override
    public boolean next() {
      return ++at < keys.size();
    }

    @Override
    public MemorySegment key() {
      return MemorySegment.ofArray(keys.get(at));
    }

    @Override
    public void value(ValueReader reader) {
      long length = valueBytes();
      // Two pieces, as of a value that lies in two pages.
      long half = length / 2;
      if (half > 0) {
        reader.read(key().asReadOnly(), 0, half, 0, length);
      }
      reader.read(key().asReadOnly(), half, length - half, half, length);
    }

    @Override
    public long valueBytes() {
      return keys.get(at).length;
    }
  }
}
