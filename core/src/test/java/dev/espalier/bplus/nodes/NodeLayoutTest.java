// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NodeLayoutTest {

  static IntStream widths() {
    return IntStream.rangeClosed(1, 64);
  }

  @ParameterizedTest(name = "a leaf of {0} lines has {1} entries, {2} key slots")
  @CsvSource({
    "1, 3, 3",
    "2, 7, 8",
    "3, 8, 8",
    "4, 15, 16",
    "8, 31, 32",
    "16, 63, 64",
    "64, 255, 256"
  })
  void leafHoldsAsManyEntriesAsFit(int width, int capacity, int keySlots) {
    LeafNode leaf = new LeafNode(width);
    assertEquals(capacity, leaf.capacity);
    assertEquals(keySlots, leaf.keySlots);
    assertEquals(64 * width, leaf.bytes);
    assertEquals(capacity / 2, leaf.minimum);
  }

  @ParameterizedTest(name = "an inner node of {0} lines has {1} separators, {2} key slots")
  @CsvSource({"1, 3, 3", "2, 8, 8", "3, 11, 16", "4, 16, 16", "8, 40, 40", "64, 336, 336"})
  void innerNodeHoldsAsManySeparatorsAsFit(int width, int capacity, int keySlots) {
    InnerNode inner = new InnerNode(width);
    assertEquals(capacity, inner.capacity);
    assertEquals(keySlots, inner.keySlots);
    assertEquals(64 * width, inner.bytes);
    assertEquals(capacity / 2, inner.minimum);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void leafHasNoRoomForOneEntryMore(int width) {
    LeafNode leaf = new LeafNode(width);
    int keyBytes = wholeLines(width, leaf.capacity + 1);
    assertTrue(keyBytes + 8 * (leaf.capacity + 1) + 8 > leaf.bytes);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void innerNodeHasNoRoomForOneSeparatorMore(int width) {
    InnerNode inner = new InnerNode(width);
    int keyBytes = wholeLines(width, inner.capacity + 1);
    assertTrue(keyBytes + 4 * (inner.capacity + 2) + 16 > inner.bytes);
  }

  /** Keys are padded to whole lines, but for nodes of one line. */
  private static int wholeLines(int width, int keys) {
    return width == 1 ? 8 * keys : (8 * keys + 63) / 64 * 64;
  }

  @ParameterizedTest
  @MethodSource("widths")
  void keyArraysAreWholeLines(int width) {
    LeafNode leaf = new LeafNode(width);
    InnerNode inner = new InnerNode(width);
    if (width > 1) {
      assertEquals(0, leaf.keySlots % CacheLine.LONGS);
      assertEquals(0, inner.keySlots % CacheLine.LONGS);
    }
    assertTrue(leaf.keySlots >= leaf.capacity);
    assertTrue(inner.keySlots >= inner.capacity);
    assertEquals((8 * leaf.keySlots + 63) / 64, leaf.keyLines);
    assertEquals(width - leaf.valuesOffset / 64, leaf.valueLines);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void fieldsOfALeafDoNotOverlap(int width) {
    LeafNode leaf = new LeafNode(width);
    Field fields = new Field(leaf.bytes);
    fields.claim(0, 8 * leaf.keySlots);
    fields.claim(leaf.valuesOffset, 8 * leaf.capacity);
    fields.claim(leaf.countOffset, 8);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void fieldsOfAnInnerNodeDoNotOverlap(int width) {
    InnerNode inner = new InnerNode(width);
    Field fields = new Field(inner.bytes);
    fields.claim(0, 8 * inner.keySlots);
    fields.claim(inner.childrenOffset, 4 * (inner.capacity + 1));
    fields.claim(inner.countOffset, 8);
    fields.claim(inner.nextOffset, 4);
    fields.claim(inner.previousOffset, 4);
  }

  /** The bytes of a node, each of which belongs to one field at most. */
  private record Field(int bytes, BitSet taken) {
    Field(int bytes) {
      this(bytes, new BitSet());
    }

    void claim(int offset, int length) {
      assertTrue(offset >= 0 && offset + length <= bytes);
      assertTrue(taken.get(offset, offset + length).isEmpty());
      taken.set(offset, offset + length);
    }
  }

  @ParameterizedTest
  @MethodSource("widths")
  void everyFieldOfALeafKeepsWhatItWasGiven(int width) {
    LeafNode leaf = new LeafNode(width);
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
  @MethodSource("widths")
  void everyFieldOfAnInnerNodeKeepsWhatItWasGiven(int width) {
    InnerNode inner = new InnerNode(width);
    long farthest = 0xffff_ffffL << 6;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate(64 + inner.bytes + 64, 64).fill((byte) 0x55);
      inner.initialize(nodes, 64);
      assertEquals(0, inner.count(nodes, 64));
      assertEquals(0, inner.next(nodes, 64));
      assertEquals(0, inner.previous(nodes, 64));
      for (int slot = 0; slot < inner.keySlots; slot++) {
        assertEquals(Keys.PADDING, inner.key(nodes, 64, slot));
      }
      for (int slot = 0; slot < inner.capacity; slot++) {
        inner.key(nodes, 64, slot, -slot);
      }
      for (int slot = 0; slot <= inner.capacity; slot++) {
        inner.child(nodes, 64, slot, farthest - 64L * slot);
      }
      inner.count(nodes, 64, 77);
      inner.next(nodes, 64, farthest);
      inner.previous(nodes, 64, 64);
      for (int slot = 0; slot < inner.capacity; slot++) {
        assertEquals(-slot, inner.key(nodes, 64, slot));
      }
      for (int slot = 0; slot <= inner.capacity; slot++) {
        assertEquals(farthest - 64L * slot, inner.child(nodes, 64, slot));
      }
      assertEquals(77, inner.count(nodes, 64));
      assertEquals(farthest, inner.next(nodes, 64));
      assertEquals(64, inner.previous(nodes, 64));
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
