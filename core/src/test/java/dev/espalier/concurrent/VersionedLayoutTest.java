// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.memory.NodeMemory;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("fallback-thorough")
class VersionedLayoutTest {
  private static final long WORD = 0x1234_5678_9abc_def8L;

  static IntStream widths() {
    return IntStream.rangeClosed(1, NodeMemory.MAX_LINES);
  }

  @ParameterizedTest(name = "a leaf of {0} lines has {1} entries, {2} key slots")
  @CsvSource({"1, 3, 3", "2, 7, 7", "3, 7, 7", "4, 15, 15", "8, 31, 31", "64, 255, 255"})
  void leafHoldsAsManyEntriesAsFit(int width, int capacity, int keySlots) {
    VersionedLeaf leaf = new VersionedLeaf(width);
    assertEquals(capacity, leaf.capacity);
    assertEquals(keySlots, leaf.keySlots);
    assertEquals(64 * width, leaf.bytes);
    assertEquals(capacity / 2, leaf.minimum);
  }

  @ParameterizedTest(name = "an inner node of {0} lines has {1} separators, {2} slots for them")
  @CsvSource({"1, 3, 3", "2, 7, 7", "3, 13, 15", "8, 39, 39", "64, 335, 335"})
  void innerNodeHoldsAsManyChildrenAsFit(int width, int capacity, int keySlots) {
    VersionedInner inner = new VersionedInner(width);
    assertEquals(capacity, inner.capacity);
    assertEquals(keySlots, inner.keySlots);
    assertEquals(64 * width, inner.bytes);
    assertEquals((capacity - 1) / 2, inner.minimum);
  }

  @ParameterizedTest
  @CsvSource({"0, 1, innerWidth is 0", "65, 1, innerWidth is 65", "1, 65, leafWidth is 65"})
  void geometryOutOfRangeIsRefused(int innerWidth, int leafWidth, String message) {
    String said =
        assertThrows(IllegalArgumentException.class, () -> new Geometry(innerWidth, leafWidth))
            .getMessage();
    assertTrue(said.startsWith(message), said);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void fieldsOfALeafDoNotOverlap(int width) {
    VersionedLeaf leaf = new VersionedLeaf(width);
    BitSet taken = new BitSet();
    claim(taken, leaf.bytes, 0, 8);
    claim(taken, leaf.bytes, VersionedLeaf.KEYS_OFFSET, 8 * leaf.keySlots);
    claim(taken, leaf.bytes, leaf.valuesOffset, 8 * leaf.capacity);
    claim(taken, leaf.bytes, leaf.countOffset, 8);
    assertTrue(leaf.keySlots >= leaf.capacity);
    assertEquals((8 + 8 * leaf.keySlots + 63) / 64, leaf.keyLines);
    assertEquals(width - leaf.valuesOffset / 64, leaf.valueLines);
    assertTrue(width == 1 || (leaf.keySlots + 1) % 8 == 0);
  }

  /** Claims bytes of a node, each of which belongs to one field at most. */
  private static void claim(BitSet taken, int bytes, int offset, int length) {
    assertTrue(offset >= 0 && offset + length <= bytes);
    assertTrue(taken.get(offset, offset + length).isEmpty());
    taken.set(offset, offset + length);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void everyFieldOfALeafKeepsWhatItWasGiven(int width) {
    VersionedLeaf leaf = new VersionedLeaf(width);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate(64 + leaf.bytes + 64, 64).fill((byte) 0x55);
      Words.putLong(nodes, 64, WORD);
      leaf.initialize(nodes, 64);
      assertEquals(0, leaf.count(nodes, 64));
      for (int slot = 0; slot < leaf.keySlots; slot++) {
        assertEquals(Keys.PADDING, leaf.key(nodes, 64, slot));
      }
      for (int slot = 0; slot < leaf.capacity; slot++) {
        leaf.insert(nodes, 64, slot, slot, slot, ~slot);
      }
      assertEquals(leaf.capacity, leaf.count(nodes, 64));
      for (int slot = 0; slot < leaf.capacity; slot++) {
        assertEquals(slot, leaf.key(nodes, 64, slot));
        assertEquals(~slot, leaf.value(nodes, 64, slot));
        assertEquals(slot, leaf.search(nodes, 64, slot));
      }
      assertEquals(WORD, Words.getLong(nodes, 64));
      assertUntouched(nodes, leaf.bytes);
    }
  }

  @ParameterizedTest
  @MethodSource("widths")
  void everyFieldOfAnInnerNodeKeepsWhatItWasGiven(int width) {
    VersionedInner inner = new VersionedInner(width);
    long farthest = 0xffff_ffffL << 6;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate(64 + inner.bytes + 64, 64).fill((byte) 0x55);
      Words.putLong(nodes, 64, WORD);
      inner.initialize(nodes, 64);
      assertEquals(0, inner.count(nodes, 64));
      for (int slot = 0; slot < inner.keySlots; slot++) {
        assertEquals(Keys.PADDING, inner.key(nodes, 64, slot));
      }
      inner.child(nodes, 64, 0, farthest);
      for (int slot = 0; slot < inner.capacity; slot++) {
        inner.insert(nodes, 64, slot, slot, farthest - 64L * (slot + 1));
      }
      assertEquals(inner.capacity, inner.count(nodes, 64));
      for (int slot = 0; slot <= inner.capacity; slot++) {
        assertEquals(farthest - 64L * slot, inner.child(nodes, 64, slot));
        assertEquals(slot, inner.search(nodes, 64, slot));
        assertTrue(slot == inner.capacity || inner.key(nodes, 64, slot) == slot);
      }
      assertEquals(WORD, Words.getLong(nodes, 64));
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
