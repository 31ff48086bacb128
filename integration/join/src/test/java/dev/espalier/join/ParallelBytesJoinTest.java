// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Joins over byte strings by several threads hand out what one does. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ParallelBytesJoinTest {
  private static final int ROWS = 5000;
  private static final JoinOptions OPTIONS =
      JoinOptions.DEFAULT.withType(JoinType.LEFT).withBatchSize(64);

  private final BytesIndex index = PrefixBPlusTree.create();

  @AfterEach
  void close() {
    index.close();
  }

  private static byte[] key(long number) {
    return Long.toString(number).getBytes(UTF_8);
  }

  /** A source that writes the keys of each batch over those of the batch before. */
  private static final class OneBuffer implements BytesOuterSource {
    private final byte[] bytes = new byte[1 << 12];
    private final int[] keys = new Random(1).ints(ROWS, 0, 1000).toArray();
    private int position;

    @Override
    public void open() {
      position = 0;
    }

    @Override
    public PackedBytes nextBatch(long[] payloads) {
      int rows = Math.min(payloads.length, ROWS - position);
      int[] offsets = new int[rows + 1];
      offsets[0] = position % 3; // Keys need not begin at the first byte.
      for (int row = 0; row < rows; row++) {
        byte[] key = key(keys[position]);
        System.arraycopy(key, 0, bytes, offsets[row], key.length);
        offsets[row + 1] = offsets[row] + key.length;
        payloads[row] = position++;
      }
      return new PackedBytes(MemorySegment.ofArray(bytes), MemorySegment.ofArray(offsets), rows);
    }

    @Override
    public void close() {}
  }

  private static String text(MemorySegment bytes) {
    return new String(bytes.toArray(ValueLayout.JAVA_BYTE), UTF_8);
  }

  private static List<String> rows(BytesJoinBatch batch) {
    return IntStream.range(0, batch.count())
        .mapToObj(
            row ->
                "%s %d %s"
                    .formatted(
                        text(batch.key(row)),
                        batch.outerPayload(row),
                        batch.isMatched(row) ? text(batch.innerValue(row)) : "none"))
        .toList();
  }

  private static List<String> rows(IdJoinBatch batch) {
    return IntStream.range(0, batch.count())
        .mapToObj(
            row ->
                "%s %d %s"
                    .formatted(
                        text(batch.key(row)),
                        batch.outerPayload(row),
                        batch.isMatched(row) ? batch.id(row) : "none"))
        .toList();
  }

  @Test
  void overAnIndexOfByteStrings() {
    for (int number = 0; number < 1000; number += 2) {
      index.set(key(number), key(10L * number));
    }
    List<String> expected = new ArrayList<>();
    try (BytesIndexJoin join = new BytesIndexJoin(new OneBuffer(), index, OPTIONS)) {
      join.open();
      while (join.next()) {
        expected.addAll(rows(join.batch()));
      }
    }
    List<String> actual = Collections.synchronizedList(new ArrayList<>());
    JoinStatistics statistics =
        ParallelJoin.run(
            new OneBuffer(),
            share -> new BytesIndexJoin(share, index, OPTIONS),
            3,
            (_, batch) -> actual.addAll(rows(batch)));
    assertSame(expected, actual, statistics);
  }

  @Test
  void overASecondaryIndex() {
    SecondaryIndex<byte[]> byKey = SecondaryIndex.over(index, BytesKeyCodec.ofBytes());
    for (int id = 0; id < 3000; id++) {
      byKey.add(key(2 * (id % 500)), id);
    }
    List<String> expected = new ArrayList<>();
    try (SecondaryIndexJoin join = new SecondaryIndexJoin(new OneBuffer(), byKey, OPTIONS)) {
      join.open();
      while (join.next()) {
        expected.addAll(rows(join.batch()));
      }
    }
    List<String> actual = Collections.synchronizedList(new ArrayList<>());
    JoinStatistics statistics =
        ParallelJoin.run(
            new OneBuffer(),
            share -> new SecondaryIndexJoin(share, byKey, OPTIONS),
            3,
            (_, batch) -> actual.addAll(rows(batch)));
    assertSame(expected, actual, statistics);
  }

  private static void assertSame(
      List<String> expected, List<String> actual, JoinStatistics statistics) {
    assertEquals(ROWS, statistics.rowsIn());
    assertEquals(expected.size(), statistics.rowsOut());
    expected.sort(null);
    actual.sort(null);
    assertEquals(expected, actual);
  }
}
