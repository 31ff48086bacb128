// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.rtree.RTree.Geometry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RTreeNodeLayoutTest {
  private static final long NODE = 64;

  static Stream<RTreeNode> layouts() {
    return IntStream.rangeClosed(RTreeNode.MIN_WIDTH, 64)
        .boxed()
        .flatMap(width -> Stream.of(new RTreeLeaf(width), new RTreeInner(width)));
  }

  @ParameterizedTest(name = "{0} lines: a leaf of {1} in {2} slots, an inner node of {3} in {4}")
  @CsvSource({
    "3, 4, 4, 5, 5",
    "4, 6, 6, 6, 6",
    "5, 7, 8, 8, 8",
    "8, 8, 8, 8, 8",
    "10, 15, 16, 16, 16",
    "16, 24, 24, 24, 24",
    "20, 31, 32, 32, 32",
    "64, 96, 96, 112, 112"
  })
  void nodeHoldsAsManyRectanglesAsFit(
      int width, int leafCapacity, int leafSlots, int innerCapacity, int innerSlots) {
    RTreeLeaf leaf = new RTreeLeaf(width);
    RTreeInner inner = new RTreeInner(width);
    assertEquals(leafCapacity, leaf.capacity);
    assertEquals(leafSlots, leaf.slots);
    assertEquals(innerCapacity, inner.capacity);
    assertEquals(innerSlots, inner.slots);
    assertEquals(64 * width, leaf.bytes);
  }

  @ParameterizedTest
  @CsvSource({"3, 2, 2", "5, 2, 3", "10, 6, 6", "64, 38, 44"})
  void minimumIsTwoFifthsOfTheCapacityButNotBelowTwo(int width, int ofLeaf, int ofInner) {
    assertEquals(ofLeaf, new RTreeLeaf(width).minimum);
    assertEquals(ofInner, new RTreeInner(width).minimum);
  }

  @Test
  void fieldsDoNotOverlapAndColumnsBeginOnLines() {
    layouts()
        .forEach(
            layout -> {
              BitSet taken = new BitSet();
              for (int column = 0; column < 4; column++) {
                claim(taken, column * layout.columnBytes, 8 * layout.slots);
              }
              int referenceBytes = layout instanceof RTreeLeaf ? 8 : 4;
              claim(taken, layout.referencesOffset, referenceBytes * layout.capacity);
              claim(taken, layout.countOffset, 8);
              assertEquals(layout.bytes, taken.length());
              assertTrue(layout.minimum >= 2 && 2 * layout.minimum <= layout.capacity);
              assertTrue(layout.capacity <= layout.slots);
              if (layout.width > 4) {
                assertEquals(0, layout.columnBytes % 64);
              }
            });
  }

  private static void claim(BitSet taken, int offset, int length) {
    assertTrue(taken.get(offset, offset + length).isEmpty());
    taken.set(offset, offset + length);
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void everyFieldKeepsWhatItWasGiven(RTreeNode layout) {
    long farthest = 0xffff_ffffL << 6;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate(NODE + layout.bytes + 64, 64).fill((byte) 0x55);
      layout.initialize(nodes, NODE);
      assertEquals(0, layout.count(nodes, NODE));
      for (int slot = 0; slot < layout.slots; slot++) {
        assertTrue(Double.isNaN(layout.minX(nodes, NODE, slot)));
        assertTrue(Double.isNaN(layout.maxY(nodes, NODE, slot)));
      }
      for (int slot = 0; slot < layout.capacity; slot++) {
        layout.set(nodes, NODE, slot, slot, slot + 0.25, slot + 0.5, slot + 0.75);
        layout.reference(nodes, NODE, slot, farthest - 64L * slot);
      }
      layout.count(nodes, NODE, layout.capacity);
      for (int slot = 0; slot < layout.capacity; slot++) {
        assertEquals(slot, layout.minX(nodes, NODE, slot));
        assertEquals(slot + 0.25, layout.minY(nodes, NODE, slot));
        assertEquals(slot + 0.5, layout.maxX(nodes, NODE, slot));
        assertEquals(slot + 0.75, layout.maxY(nodes, NODE, slot));
        assertEquals(farthest - 64L * slot, layout.reference(nodes, NODE, slot));
      }
      assertEquals(layout.capacity, layout.count(nodes, NODE));
      for (long offset = 0; offset < 64; offset++) {
        assertEquals(0x55, nodes.get(ValueLayout.JAVA_BYTE, offset));
        assertEquals(0x55, nodes.get(ValueLayout.JAVA_BYTE, NODE + layout.bytes + offset));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, 0, 2, 65})
  void widthOutOfRangeIsRefused(int width) {
    IllegalArgumentException inner =
        assertThrows(IllegalArgumentException.class, () -> new Geometry(width, 10));
    assertEquals("innerWidth is " + width + " lines; it must be from 3 to 64", inner.getMessage());
    IllegalArgumentException leaf =
        assertThrows(IllegalArgumentException.class, () -> new Geometry(10, width));
    assertEquals("leafWidth is " + width + " lines; it must be from 3 to 64", leaf.getMessage());
  }
}
