// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.csbplus.CsbPlusTree.Geometry;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.NodeMemory;
import dev.espalier.node.Keys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CsbNodeLayoutTest {

  static IntStream widths() {
    return IntStream.rangeClosed(1, NodeMemory.MAX_LINES);
  }

  static Stream<Arguments> widthsAndSegments() {
    return widths()
        .boxed()
        .flatMap(
            width ->
                IntStream.rangeClosed(1, Math.min(7, (8 * width + 1) / 3))
                    .mapToObj(segments -> Arguments.of(width, segments)));
  }

  @ParameterizedTest(name = "a leaf of {0} lines has {1} entries, {2} key slots")
  @CsvSource({
    "1, 3, 3",
    "2, 7, 8",
    "3, 8, 8",
    "4, 15, 16",
    "5, 16, 16",
    "8, 31, 32",
    "16, 63, 64",
    "64, 255, 256"
  })
  void leafHoldsAsManyEntriesAsFit(int width, int capacity, int keySlots) {
    CsbLeafNode leaf = new CsbLeafNode(width);
    assertEquals(capacity, leaf.capacity);
    assertEquals(keySlots, leaf.keySlots);
    assertEquals(64 * width, leaf.bytes);
    assertEquals(capacity / 2, leaf.minimum);
  }

  @ParameterizedTest(name = "an inner node of {0} lines and {1} segments has {2} children")
  @CsvSource({
    "1, 1, 8",
    "1, 2, 7",
    "1, 3, 6",
    "2, 1, 16",
    "2, 5, 12",
    "4, 2, 31",
    "8, 1, 64",
    "64, 7, 506"
  })
  void innerNodeHasAChildForEveryWordButThoseOfMoreSegments(int width, int segments, int children) {
    CsbInnerNode inner = new CsbInnerNode(width, segments);
    assertEquals(children, inner.maxChildren);
    assertEquals(children - 1, inner.capacity);
    assertEquals(children / 2, inner.minChildren);
    assertEquals(8 * width, inner.slots);
    assertEquals(64 * width, inner.bytes);
  }

  @ParameterizedTest
  @CsvSource({"1, 0, 3", "1, 4, 3", "2, 6, 5", "3, 8, 7", "64, 8, 7", "8, -1, 7"})
  void segmentsThatLeaveNoRoomForChildrenAreRefused(int width, int segments, int most) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> new Geometry(width, 1, segments, 0))
            .getMessage();
    assertEquals(
        "segments is "
            + segments
            + "; for inner nodes of "
            + width
            + " lines it must be from 1 to "
            + most,
        message);
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 0, innerWidth is 0", "1, 65, 0, leafWidth is 65", "1, 1, 65, prefetchDist"})
  void geometryOutOfRangeIsRefused(int innerWidth, int leafWidth, int distance, String message) {
    String said =
        assertThrows(
                IllegalArgumentException.class,
                () -> new Geometry(innerWidth, leafWidth, 1, distance))
            .getMessage();
    assertTrue(said.startsWith(message), said);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void fieldsOfALeafDoNotOverlap(int width) {
    CsbLeafNode leaf = new CsbLeafNode(width);
    BitSet taken = new BitSet();
    claim(taken, leaf.bytes, 0, 8 * leaf.keySlots);
    claim(taken, leaf.bytes, leaf.valuesOffset, 8 * leaf.capacity);
    claim(taken, leaf.bytes, leaf.countOffset, 8);
    assertTrue(leaf.keySlots >= leaf.capacity);
    assertEquals((8 * leaf.keySlots + 63) / 64, leaf.keyLines);
    assertEquals(width - leaf.valuesOffset / 64, leaf.valueLines);
    assertTrue(width == 1 || leaf.keySlots % CacheLine.LONGS == 0);
  }

  /** Claims bytes of a node, each of which belongs to one field at most. */
  private static void claim(BitSet taken, int bytes, int offset, int length) {
    assertTrue(offset >= 0 && offset + length <= bytes);
    assertTrue(taken.get(offset, offset + length).isEmpty());
    taken.set(offset, offset + length);
  }

  @ParameterizedTest
  @MethodSource("widthsAndSegments")
  void segmentsAndSeparatorsFillAnInnerNode(int width, int segments) {
    CsbInnerNode inner = new CsbInnerNode(width, segments);
    assertEquals(8 * segments, inner.keysOffset);
    assertEquals(inner.bytes, inner.keysOffset + 8 * inner.capacity);
    assertTrue(inner.maxChildren >= 2 * segments);
  }

  /** The largest group is what the memory gives out as one. */
  @ParameterizedTest
  @MethodSource("widths")
  void groupOfTheMostSiblingsCanBeAllocated(int width) {
    int most = new CsbInnerNode(width, 1).maxChildren;
    assertTrue(most * NodeMemory.MAX_LINES <= NodeMemory.MAX_GROUP_LINES);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void everyFieldOfALeafKeepsWhatItWasGiven(int width) {
    CsbLeafNode leaf = new CsbLeafNode(width);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate(64 + leaf.bytes + 64, 64).fill((byte) 0x55);
      leaf.initialize(nodes, 64);
      assertEquals(0, leaf.count(nodes, 64));
      for (int slot = 0; slot < leaf.keySlots; slot++) {
        assertEquals(Keys.PADDING, leaf.key(nodes, 64, slot));
      }
      for (int slot = 0; slot < leaf.capacity; slot++) {
        leaf.key(nodes, 64, slot, slot);
        leaf.value(nodes, 64, slot, ~slot);
      }
      leaf.count(nodes, 64, -2);
      for (int slot = 0; slot < leaf.capacity; slot++) {
        assertEquals(slot, leaf.key(nodes, 64, slot));
        assertEquals(~slot, leaf.value(nodes, 64, slot));
      }
      assertEquals(-2, leaf.count(nodes, 64));
      assertUntouched(nodes, leaf.bytes);
    }
  }

  @ParameterizedTest
  @MethodSource("widthsAndSegments")
  void everyFieldOfAnInnerNodeKeepsWhatItWasGiven(int width, int segments) {
    CsbInnerNode inner = new CsbInnerNode(width, segments);
    long farthest = 0xffff_ffffL << 6;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate(64 + inner.bytes + 64, 64).fill((byte) 0x55);
      inner.initialize(nodes, 64);
      assertEquals(0, inner.children(nodes, 64));
      assertEquals(0, inner.segmentsInUse(nodes, 64));
      for (int slot = 0; slot < inner.capacity; slot++) {
        assertEquals(Keys.PADDING, inner.key(nodes, 64, slot));
        inner.key(nodes, 64, slot, -slot);
      }
      for (int segment = 0; segment < segments; segment++) {
        inner.segment(nodes, 64, segment, farthest - 64L * segment, 2 * segment + 2, 512);
      }
      for (int slot = 0; slot < inner.capacity; slot++) {
        assertEquals(-slot, inner.key(nodes, 64, slot));
      }
      for (int segment = 0; segment < segments; segment++) {
        assertEquals(farthest - 64L * segment, inner.group(nodes, 64, segment));
        assertEquals(2 * segment, inner.start(nodes, 64, segment));
        assertEquals(2 * segment + 2, inner.end(nodes, 64, segment));
        assertEquals(2, inner.size(nodes, 64, segment));
        assertEquals(512, inner.room(nodes, 64, segment));
        assertEquals(segment, inner.segmentOf(nodes, 64, 2 * segment + 1));
        assertEquals(farthest - 64L * segment + 192, inner.child(nodes, 64, 2 * segment + 1, 192));
      }
      assertEquals(2 * segments, inner.children(nodes, 64));
      assertEquals(segments, inner.segmentsInUse(nodes, 64));
      assertUntouched(nodes, inner.bytes);
    }
  }

  private static void assertUntouched(MemorySegment nodes, int bytes) {
    for (long offset = 0; offset < 64; offset++) {
      assertEquals(0x55, nodes.get(ValueLayout.JAVA_BYTE, offset));
      assertEquals(0x55, nodes.get(ValueLayout.JAVA_BYTE, 64 + bytes + offset));
    }
  }
}
