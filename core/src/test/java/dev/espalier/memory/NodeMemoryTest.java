// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.VirtualMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs with reserved memory, where there is native access, and with memory that doubles. */
@Tag("fallback-too")
class NodeMemoryTest {
  private static final long UNLIMITED = Long.MAX_VALUE;

  private NodeMemory memory = new NodeMemory(UNLIMITED, HugePages.WHEN_GROWN);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void nodesAreOnLinesAndNeverAtZero() {
    SplittableRandom random = new SplittableRandom(1);
    TreeMap<Long, Integer> nodes = new TreeMap<>();
    for (int i = 0; i < 2000; i++) {
      int lines = random.nextInt(1, NodeMemory.MAX_LINES + 1);
      long node = memory.allocate(lines);
      assertTrue(node > 0);
      assertEquals(0, node % CacheLine.BYTES);
      assertEquals(0, (memory.segment().address() + node) % CacheLine.BYTES);
      assertTrue(node + 64L * lines <= memory.segment().byteSize());
      nodes.put(node, lines);
    }
    long end = 0;
    for (var node : nodes.entrySet()) {
      assertTrue(node.getKey() >= end, "nodes overlap");
      end = node.getKey() + 64L * node.getValue();
    }
    assertEquals(end, memory.endOffset());
  }

  @Test
  void nodeThatWasTakenBackIsGivenOutAgainForItsSizeOnly() {
    long four = memory.allocate(4);
    long two = memory.allocate(2);
    memory.free(four, 4);
    memory.free(two, 2);
    assertEquals(0, memory.usedBytes());
    assertEquals(two, memory.allocate(2));
    long other = memory.allocate(2);
    assertTrue(other >= memory.endOffset() - 128);
    assertEquals(four, memory.allocate(4));
    assertEquals(64 * (4 + 2 + 2), memory.usedBytes());
  }

  @Test
  void manyFreeNodesAreAllGivenOutAgain() {
    List<Long> nodes = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      nodes.add(memory.allocate(3));
    }
    long end = memory.endOffset();
    nodes.forEach(node -> memory.free(node, 3));
    List<Long> again = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      again.add(memory.allocate(3));
    }
    assertEquals(nodes, again.stream().sorted().toList());
    assertEquals(end, memory.endOffset());
  }

  @Test
  void fullMemoryGivesOutTheFrontOfAWiderFreeNode() {
    close();
    memory = new NodeMemory(16 * 1024, HugePages.OFF);
    long wide = memory.allocate(10);
    fill();
    memory.free(wide, 10);
    assertEquals(wide, memory.allocate(4));
    assertEquals(wide + 4 * 64, memory.allocate(6));
    assertThrows(MemoryLimitException.class, () -> memory.allocate(1));
  }

  @Test
  void fullMemoryJoinsFreeNodesThatLieSideBySide() {
    close();
    memory = new NodeMemory(16 * 1024, HugePages.OFF);
    List<Long> nodes = new ArrayList<>();
    for (int lines : new int[] {2, 3, 1, 2, 4}) {
      nodes.add(memory.allocate(lines));
    }
    fill();
    long used = memory.usedBytes();
    memory.free(nodes.get(1), 3);
    memory.free(nodes.get(4), 4);
    memory.free(nodes.get(0), 2);
    assertThrows(MemoryLimitException.class, () -> memory.allocate(6));
    assertEquals(nodes.get(0), memory.allocate(5), "the first two are one, the last is not");
    assertEquals(nodes.get(4), memory.allocate(4));
    assertEquals(used, memory.usedBytes());
  }

  /** Allocates until the memory is full. */
  private void fill() {
    assertThrows(
        MemoryLimitException.class,
        () -> {
          while (true) {
            memory.allocate(1);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void contentsSurviveEveryMove(HugePages hugePages) {
    close();
    memory = new NodeMemory(UNLIMITED, hugePages);
    List<Long> nodes = new ArrayList<>();
    MemorySegment segment = memory.segment();
    int moves = 0;
    while (memory.endOffset() < 3 * NodeMemory.HUGE_PAGE_BYTES) {
      long node = memory.allocate(64);
      if (memory.segment().address() != segment.address()) {
        segment = memory.segment();
        moves++;
      }
      Words.putLong(segment, node, ~node);
      Words.putLong(segment, node + 4096 - 8, node);
      nodes.add(node);
    }
    assertTrue(moves >= 10, "moved " + moves + " times");
    for (long node : nodes) {
      assertEquals(~node, Words.getLong(segment, node));
      assertEquals(node, Words.getLong(segment, node + 4096 - 8));
    }
  }

  @Test
  void segmentThatWasMovedFromIsClosed() {
    MemorySegment before = memory.segment();
    memory.allocate(64);
    assertNotSame(before, memory.segment());
    assertThrows(IllegalStateException.class, () -> Words.getLong(before, 512));
  }

  @Test
  void reservedMemoryDoesNotMoveAgainAndCountsWhatIsUsed() {
    growBeyondAHugePage();
    MemorySegment grown = memory.segment();
    if (VirtualMemory.isAvailable()) {
      memory.allocate(64);
      growTo(16 * NodeMemory.HUGE_PAGE_BYTES);
      assertSame(grown, memory.segment());
      assertEquals(memory.endOffset(), memory.committedBytes());
    } else {
      growTo(16 * NodeMemory.HUGE_PAGE_BYTES);
      assertNotSame(grown, memory.segment());
      assertEquals(memory.segment().byteSize(), memory.committedBytes());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {16 << 10, (2 << 20) - 64, (2 << 20) + 64, 5_000_001, UNLIMITED})
  void memoryBesideReadersIsNeverTakenFromThem(long limit) {
    close();
    memory = NodeMemory.besideReaders(limit, HugePages.WHEN_GROWN);
    long first = memory.allocate(1);
    MemorySegment before = memory.segment();
    Words.putLong(before, first, 42);
    assertEquals(4096, before.byteSize());
    growTo(4096);
    MemorySegment moved = memory.segment();
    growTo(Math.min(limit - 8192, 3 * NodeMemory.HUGE_PAGE_BYTES));
    if (VirtualMemory.isAvailable()) {
      assertSame(moved, memory.segment());
      assertEquals(memory.endOffset(), memory.committedBytes());
    }
    assertEquals(42, Words.getLong(before, first));
    assertEquals(42, Words.getLong(memory.segment(), first));
    memory.close();
    assertTrue(memory.isClosed());
    assertThrows(IllegalStateException.class, () -> Words.getLong(before, first));
    assertThrows(IllegalStateException.class, () -> Words.getLong(memory.segment(), first));
  }

  @ParameterizedTest
  @ValueSource(longs = {16 << 10, (2 << 20) - 64, (2 << 20) + 64, 5_000_001, UNLIMITED})
  void memoryThatGetsReadersIsNeverTakenFromThemFromThenOn(long limit) {
    close();
    memory = new NodeMemory(limit, HugePages.WHEN_GROWN);
    long first = memory.allocate(1);
    growTo(600);
    memory.expectReaders();
    List<MemorySegment> segments = new ArrayList<>(List.of(memory.segment()));
    Words.putLong(memory.segment(), first, 42);
    long end = Math.min(limit - 4096, 3 * NodeMemory.HUGE_PAGE_BYTES);
    while (memory.endOffset() < end) {
      memory.allocate(NodeMemory.MAX_LINES);
      if (memory.segment() != segments.getLast()) {
        segments.add(memory.segment());
      }
      assertTrue(memory.committedBytes() <= limit);
    }
    if (VirtualMemory.isAvailable()) {
      assertEquals(2, segments.size(), "it moves once, into reserved address space");
      assertEquals(memory.endOffset(), memory.committedBytes());
    }
    for (MemorySegment each : segments) {
      assertEquals(42, Words.getLong(each, first));
    }
    memory.close();
    for (MemorySegment each : segments) {
      assertThrows(IllegalStateException.class, () -> Words.getLong(each, first));
    }
  }

  @Test
  void outgrownMemoryIsFreedWithWhatReplacedIt() {
    close();
    memory = NodeMemory.besideReaders(UNLIMITED, HugePages.OFF);
    MemorySegment before = memory.segment();
    growBeyondAHugePage();
    NodeMemory.Left left = memory.leave();
    assertEquals(0, Words.getLong(before, 0));
    left.arena().close();
    memory.clear();
    assertThrows(IllegalStateException.class, () -> Words.getLong(before, 0));
    assertFalse(memory.isClosed());
    assertEquals(512, memory.allocate(1));
  }

  @Test
  void hugePagesBesideReadersAreAskedForOnlyOnceGrown() {
    close();
    memory = NodeMemory.besideReaders(UNLIMITED, HugePages.WHEN_GROWN);
    growTo(NodeMemory.HUGE_PAGE_BYTES / 2);
    assertFalse(memory.hugePagesGranted());
    growBeyondAHugePage();
    boolean canBeGranted = VirtualMemory.isAvailable();
    assertTrue(canBeGranted || !memory.hugePagesGranted());
    memory.clear();
    assertFalse(memory.hugePagesGranted());
  }

  @Test
  void hugePagesAreAskedForOnlyOnceGrown() {
    growTo(NodeMemory.HUGE_PAGE_BYTES / 2);
    assertFalse(memory.hugePagesGranted());
    growBeyondAHugePage();
    if (!VirtualMemory.isAvailable()) {
      assertFalse(memory.hugePagesGranted());
    }
    memory.clear();
    assertFalse(memory.hugePagesGranted());
  }

  @Test
  void hugePagesThatAreOffAreNeverAskedFor() {
    close();
    memory = new NodeMemory(UNLIMITED, HugePages.OFF);
    growBeyondAHugePage();
    assertFalse(memory.hugePagesGranted());
  }

  @ParameterizedTest
  @ValueSource(
      longs = {16 << 10, 16400, 1 << 20, (2 << 20) - 64, 2 << 20, (2 << 20) + 64, 5_000_001})
  void limitIsReachedButNotExceeded(long limit) {
    close();
    memory = new NodeMemory(limit, HugePages.WHEN_GROWN);
    assertEquals(limit, memory.limit());
    List<Long> nodes = new ArrayList<>();
    MemoryLimitException full =
        assertThrows(
            MemoryLimitException.class,
            () -> {
              while (true) {
                nodes.add(memory.allocate(1));
              }
            });
    assertEquals((limit - 512) / 64, nodes.size());
    assertTrue(memory.committedBytes() <= limit);
    assertTrue(String.valueOf(full.getMessage()).contains(Long.toString(limit)), full::toString);
    assertThrows(MemoryLimitException.class, () -> memory.allocate(1));
    assertEquals(64L * nodes.size(), memory.usedBytes());
    memory.free(nodes.getFirst(), 1);
    assertEquals(nodes.getFirst(), memory.allocate(1));
  }

  @Test
  void newMemoryIsAFewKib() {
    assertEquals(4096, memory.committedBytes());
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void clearGivesTheMemoryBack() {
    long first = memory.allocate(8);
    growBeyondAHugePage();
    memory.free(first, 8);
    MemorySegment before = memory.segment();
    memory.clear();
    assertEquals(4096, memory.committedBytes());
    assertEquals(0, memory.usedBytes());
    assertThrows(IllegalStateException.class, () -> Words.getLong(before, 512));
    assertEquals(first, memory.allocate(1));
    assertEquals(first + 64, memory.allocate(8), "the list of free nodes is forgotten too");
  }

  @Test
  void closedMemoryIsNotRead() {
    MemorySegment segment = memory.segment();
    memory.close();
    memory.close();
    assertTrue(memory.isClosed());
    assertThrows(IllegalStateException.class, () -> Words.getLong(segment, 512));
    assertThrows(IllegalStateException.class, () -> Words.putInt(segment, 512, 1));
  }

  private void growBeyondAHugePage() {
    growTo(NodeMemory.HUGE_PAGE_BYTES + CacheLine.BYTES);
  }

  private void growTo(long bytes) {
    while (memory.endOffset() < bytes) {
      memory.allocate(NodeMemory.MAX_LINES);
    }
  }
}
