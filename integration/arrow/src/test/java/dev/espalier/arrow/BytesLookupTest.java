// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static dev.espalier.arrow.LongLookupTest.assertMessage;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BytesLookupTest {
  private final Random random = new Random(42);

  @Test
  void answersAsAMapDoesWhateverTheLengths() {
    try (BytesIndex index = PrefixBPlusTree.create();
        Arena arena = Arena.ofConfined()) {
      Map<String, byte[]> model = new HashMap<>();
      // What nulls hold is in the index too.
      put(index, model, "" + (char) TestColumns.GARBAGE, new byte[] {1, 2, 3});
      for (int i = 0; i < 500; i++) {
        byte[] value = new byte[i % 50 == 0 ? 20_000 + i : random.nextInt(20)];
        random.nextBytes(value);
        put(index, model, "key " + random.nextInt(1000), value);
      }
      BytesLookup lookup = new BytesLookup(index);
      for (int round = 0; round < 100; round++) {
        List<@Nullable String> names = new ArrayList<>();
        List<byte @Nullable []> keys = new ArrayList<>();
        for (int i = random.nextInt(100); i > 0; i--) {
          String name = random.nextInt(4) == 0 ? null : "key " + random.nextInt(1000);
          names.add(name);
          keys.add(name == null ? null : name.getBytes());
        }
        BytesColumn answers = lookup.getAll(TestColumns.bytes(keys, random.nextInt(20)), arena);
        assertEquals(names.size(), answers.count());
        for (int row = 0; row < names.size(); row++) {
          byte @Nullable [] expected = names.get(row) == null ? null : model.get(names.get(row));
          assertEquals(expected != null, answers.isValid(row));
          byte[] none = {};
          assertArrayEquals(
              expected == null ? none : expected,
              answers.value(row).toArray(ValueLayout.JAVA_BYTE));
        }
      }
    }
  }

  private static void put(BytesIndex index, Map<String, byte[]> model, String key, byte[] value) {
    index.set(key.getBytes(), value);
    model.put(key, value);
  }

  @Test
  void keysThatAreLongerThanAnIndexHasAreAbsent() {
    byte[] tooLong = new byte[BytesIndex.MAX_KEY + 1];
    byte[] longest = new byte[BytesIndex.MAX_KEY];
    byte[] key = {1};
    try (BytesIndex index = PrefixBPlusTree.create();
        Arena arena = Arena.ofConfined()) {
      index.set(longest, new byte[] {2});
      index.set(key, new byte[] {3});
      BytesLookup lookup = new BytesLookup(index);
      BytesColumn answers =
          lookup.getAll(
              TestColumns.bytes(
                  Arrays.asList(tooLong, key, null, tooLong, tooLong, longest, key, tooLong), 3),
              arena);
      assertEquals(
          Arrays.asList(null, 3, null, null, null, 2, 3, null),
          IntStream.range(0, 8)
              .mapToObj(
                  row ->
                      answers.isValid(row)
                          ? (Integer) (int) answers.value(row).get(ValueLayout.JAVA_BYTE, 0)
                          : null)
              .toList());
    }
  }

  @Test
  void asksForMemoryOfExactlyTheSizesNeeded() {
    try (BytesIndex index = PrefixBPlusTree.create()) {
      index.set(new byte[] {1}, new byte[7]);
      List<Long> asked = new ArrayList<>();
      new BytesLookup(index)
          .getAll(
              TestColumns.bytes(List.of(new byte[] {1}, new byte[] {2}), 0),
              (bytes, alignment) -> {
                asked.add(bytes);
                return MemorySegment.ofArray(new byte[(int) bytes]);
              });
      assertEquals(List.of(1L, 12L, 7L), asked);
    }
  }

  @Test
  void anEmptyColumnNeedsNoOffsets() {
    try (BytesIndex index = PrefixBPlusTree.create();
        Arena arena = Arena.ofConfined()) {
      MemorySegment empty = MemorySegment.ofArray(new byte[0]);
      BytesColumn none = BytesColumn.withoutNulls(empty, empty, 0);
      assertEquals(0, new BytesLookup(index).getAll(none, arena).count());
    }
  }

  @Test
  void valuesThatAreTooLongTogetherAreNamed() {
    BytesIndex index = // It tells of a value that it need not have.
        (BytesIndex)
            Proxy.newProxyInstance(
                BytesIndex.class.getClassLoader(),
                new Class<?>[] {BytesIndex.class},
                (_, _, arguments) -> {
                  ((BatchReader) arguments[1])
                      .read(0, MemorySegment.NULL, 0, 0, 0, Integer.MAX_VALUE - 7);
                  return 1;
                });
    BytesLookup lookup = new BytesLookup(index);
    BytesColumn keys = TestColumns.bytes(List.of(new byte[] {1}), 0);
    ArithmeticException refused =
        assertThrows(
            ArithmeticException.class,
            () -> lookup.getAll(keys, SegmentAllocator.prefixAllocator(MemorySegment.NULL)));
    assertEquals(
        "the values have more than 2147483639 bytes; those of fewer keys have fewer",
        refused.getMessage());
  }

  @Test
  void saysWhatIsWrongWithColumns() {
    MemorySegment bytes = MemorySegment.ofArray(new byte[10]);
    MemorySegment offsets = MemorySegment.ofArray(new int[] {0, 4, 10});
    assertMessage("offsets has 12 bytes", () -> BytesColumn.withoutNulls(bytes, offsets, 3));
    assertMessage(
        "offsets has 12 bytes",
        () -> new BytesColumn(bytes, offsets, MemorySegment.ofArray(new byte[1]), 2, 1));
    try (BytesIndex index = PrefixBPlusTree.create()) {
      assertMessage(
          "the allocator returned 0 bytes where 1 were asked for",
          () ->
              new BytesLookup(index)
                  .getAll(
                      BytesColumn.withoutNulls(bytes, offsets, 2),
                      (size, alignment) -> MemorySegment.ofArray(new byte[0])));
    }
  }
}
