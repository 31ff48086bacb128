// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static dev.espalier.arrow.LongLookupTest.assertMessage;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Indexes;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColumnEntriesTest {
  @Test
  void columnsOfLongsFillAnIndex() {
    LongColumn keys = TestColumns.longs(List.of(-4L, 2L, 9L), 5);
    LongColumn values = TestColumns.longs(List.of(1L, 2L, 3L), 8);
    try (LongIndex index = Indexes.create()) {
      index.bulkload(ColumnEntries.of(keys, values), 1.0, 3, ProgressListener.NONE);
      assertEquals(3, index.size());
      assertEquals(1, index.get(-4));
      assertEquals(3, index.get(9));
    }
  }

  @Test
  void columnsOfBytesFillAnIndex() {
    byte[] large = new byte[50_000];
    Arrays.fill(large, (byte) 7);
    BytesColumn keys = TestColumns.bytes(List.of("a".getBytes(), "b".getBytes()), 3);
    BytesColumn values = TestColumns.bytes(List.of(new byte[0], large), 1);
    try (BytesIndex index = PrefixBPlusTree.create()) {
      index.bulkload(ColumnEntries.of(keys, values), 1.0, 2, ProgressListener.NONE);
      assertEquals(2, index.size());
      assertArrayEquals(new byte[0], index.get("a".getBytes()));
      assertArrayEquals(large, index.get("b".getBytes()));
    }
  }

  @Test
  void nullsAreNamedByTheirRow() {
    LongColumn full = TestColumns.longs(List.of(1L, 2L), 0);
    LongColumn holey = TestColumns.longs(Arrays.asList(1L, null), 0);
    try (LongIndex index = Indexes.create()) {
      assertMessage("the key of row 1 is null", () -> load(index, holey, full));
      assertMessage("the value of row 1 is null", () -> load(index, full, holey));
      assertEquals(0, index.size());
    }
    BytesColumn bytes = TestColumns.bytes(Arrays.asList(null, "a".getBytes()), 0);
    assertMessage("the key of row 0 is null", () -> ColumnEntries.of(bytes, bytes).next());
  }

  private static void load(LongIndex index, LongColumn keys, LongColumn values) {
    index.bulkload(ColumnEntries.of(keys, values), 1.0, -1, ProgressListener.NONE);
  }

  @Test
  void countsMustAgree() {
    LongColumn one = TestColumns.longs(List.of(1L), 0);
    LongColumn two = TestColumns.longs(List.of(1L, 2L), 0);
    assertMessage("keys has 1 rows and values has 2", () -> ColumnEntries.of(one, two));
  }
}
