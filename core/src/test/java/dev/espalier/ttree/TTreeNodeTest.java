// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.memory.CacheLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TTreeNodeTest {

  static IntStream widths() {
    return IntStream.rangeClosed(1, 64);
  }

  @ParameterizedTest(name = "a node of {0} lines has {1} entries, the keys in {2} lines")
  @CsvSource({"1, 2, 1", "2, 6, 2", "3, 10, 2", "4, 14, 3", "8, 30, 5", "64, 254, 33"})
  void nodeHoldsAsManyEntriesAsFit(int width, int capacity, int keyLines) {
    TTreeNode node = new TTreeNode(width);
    assertEquals(capacity, node.capacity);
    assertEquals(capacity / 2, node.minimum);
    assertEquals(keyLines, node.keyLines);
    assertEquals(64 * width, node.bytes);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void fieldsFillTheNodeAndDoNotOverlap(int width) {
    TTreeNode node = new TTreeNode(width);
    BitSet taken = new BitSet();
    claim(taken, TTreeNode.COUNT_OFFSET, 4);
    claim(taken, TTreeNode.HEIGHT_OFFSET, 4);
    claim(taken, TTreeNode.CHILDREN_OFFSET, 8);
    claim(taken, TTreeNode.PARENT_OFFSET, 4);
    claim(taken, TTreeNode.VERSION_OFFSET, 4);
    claim(taken, TTreeNode.GREATEST_OFFSET, 8);
    claim(taken, TTreeNode.KEYS_OFFSET, 8 * node.capacity);
    claim(taken, node.valuesOffset, 8 * node.capacity);
    assertEquals(node.bytes, taken.cardinality());
    assertEquals(node.bytes, taken.length());
  }

  private static void claim(BitSet taken, int offset, int length) {
    assertTrue(taken.get(offset, offset + length).isEmpty());
    taken.set(offset, offset + length);
  }

  /** What a descent reads: one line a level, however wide the node is. */
  @Test
  void childrenAndBothBoundsAreInTheFirstLine() {
    assertTrue(TTreeNode.CHILDREN_OFFSET + 8 <= CacheLine.BYTES);
    assertTrue(TTreeNode.GREATEST_OFFSET + 8 <= CacheLine.BYTES);
    assertTrue(TTreeNode.KEYS_OFFSET + 8 <= CacheLine.BYTES);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void everyFieldKeepsWhatItWasGiven(int width) {
    TTreeNode layout = new TTreeNode(width);
    long farthest = 0xffff_ffffL << 6;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate(64 + layout.bytes + 64, 64).fill((byte) 0x55);
      layout.initialize(nodes, 64, farthest);
      assertEquals(0, layout.count(nodes, 64));
      assertEquals(1, layout.height(nodes, 64));
      assertEquals(0, layout.child(nodes, 64, LEFT));
      assertEquals(0, layout.child(nodes, 64, RIGHT));
      for (int slot = 0; slot < layout.capacity; slot++) {
        layout.entry(nodes, 64, slot, slot, ~slot);
      }
      layout.count(nodes, 64, layout.capacity);
      layout.height(nodes, 64, 17);
      layout.child(nodes, 64, LEFT, 128);
      layout.child(nodes, 64, RIGHT, farthest - 64);
      for (int slot = 0; slot < layout.capacity; slot++) {
        assertEquals(slot, layout.key(nodes, 64, slot));
        assertEquals(~slot, layout.value(nodes, 64, slot));
      }
      assertEquals(layout.capacity, layout.count(nodes, 64));
      assertEquals(17, layout.height(nodes, 64));
      assertEquals(farthest, layout.parent(nodes, 64));
      assertEquals(128, layout.child(nodes, 64, LEFT));
      assertEquals(farthest - 64, layout.child(nodes, 64, RIGHT));
      assertEquals(0, layout.least(nodes, 64));
      assertEquals(layout.capacity - 1, layout.greatest(nodes, 64));
      for (long offset = 0; offset < 64; offset++) {
        assertEquals(0x55, nodes.get(ValueLayout.JAVA_BYTE, offset));
        assertEquals(0x55, nodes.get(ValueLayout.JAVA_BYTE, 64 + layout.bytes + offset));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 65})
  void widthOutOfRangeIsRefused(int width) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> TTree.create(IndexOptions.DEFAULT, width));
    assertEquals("width is " + width + " lines; it must be from 1 to 64", refused.getMessage());
  }
}
