// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class PackedBytesTest {
  private static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

  @Test
  void stringsLieOneBehindTheOther() {
    PackedBytes batch = PackedBytes.of(List.of(new byte[] {1, 2}, new byte[0], new byte[] {3}));
    assertEquals(3, batch.count());
    assertArrayEquals(new byte[] {1, 2, 3}, HeapBytesIndex.bytes(batch.bytes()));
    assertArrayEquals(
        new int[] {0, 2, 2, 3}, batch.offsets().toArray(ValueLayout.JAVA_INT_UNALIGNED));
    assertArrayEquals(new byte[] {1, 2}, HeapBytesIndex.bytes(batch.get(0)));
    assertEquals(0, batch.get(1).byteSize());
    assertArrayEquals(new byte[] {3}, HeapBytesIndex.bytes(batch.get(2)));
    assertEquals(0, PackedBytes.of(List.of()).count());
  }

  @Test
  void offsetsMayBeginAnywhereAndBeLongerThanNeeded() {
    MemorySegment native5 = Arena.ofAuto().allocate(5 * Integer.BYTES + 1);
    MemorySegment offsets = native5.asSlice(1);
    offsets.copyFrom(MemorySegment.ofArray(new int[] {2, 4, 9, 9, 9}));
    PackedBytes batch = new PackedBytes(MemorySegment.ofArray(new byte[] {0, 1, 2, 3}), offsets, 1);
    assertArrayEquals(new byte[] {2, 3}, HeapBytesIndex.bytes(batch.get(0)));
    assertThrows(IndexOutOfBoundsException.class, () -> batch.get(1));
    assertThrows(IndexOutOfBoundsException.class, () -> batch.get(-1));
  }

  @Test
  void countThatTheOffsetsDoNotReachIsRefused() {
    MemorySegment twoOffsets = MemorySegment.ofArray(new int[2]);
    assertEquals(1, new PackedBytes(NONE, twoOffsets, 1).count());
    for (int count : new int[] {-1, 2, Integer.MAX_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> new PackedBytes(NONE, twoOffsets, count));
    }
    assertThrows(IllegalArgumentException.class, () -> new PackedBytes(NONE, NONE, 0));
  }
}
