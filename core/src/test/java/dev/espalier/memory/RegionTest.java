// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.VirtualMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of memory that others read when it is outgrown. */
@Tag("fallback-too")
class RegionTest {
  private final List<MemorySegment> segments = new ArrayList<>();

  private Region first(long bytes) {
    return noted(Region.small(bytes));
  }

  private Region noted(Region region) {
    segments.add(region.segment());
    return region;
  }

  private List<Boolean> alive() {
    return segments.stream().map(segment -> segment.scope().isAlive()).toList();
  }

  @Test
  void memoryWithoutReadersIsFreedWhenItIsOutgrown() {
    Region last = first(64).outgrownBy(noted(Region.small(128)));
    assertEquals(List.of(false, true), alive());
    last.close();
    assertEquals(List.of(false, false), alive());
  }

  @Test
  void memoryBesideReadersIsFreedWithWhatHasOutgrownIt() {
    Region first = first(64);
    first.expectReaders();
    Words.putLong(first.segment(), 8, 42);
    Region second =
        first.outgrownBy(
            noted(Region.small(128)), (from, to) -> MemorySegment.copy(from, 0, to, 0, 64));
    Region third = second.outgrownBy(noted(Region.small(256)));
    assertEquals(List.of(true, true, true), alive());
    assertEquals(42, Words.getLong(segments.get(0), 8));
    assertEquals(42, Words.getLong(segments.get(1), 8));
    assertFalse(first.isClosed());
    first.close();
    assertTrue(third.isClosed());
    assertEquals(List.of(false, false, false), alive());
  }

  @Test
  void memoryThatIsReplacedIsFreedWithAllThatItHadOutgrown() {
    Region first = first(64);
    first.expectReaders();
    Region second = first.outgrownBy(noted(Region.small(128)));
    Region third = second.replacedBy(noted(Region.small(64)));
    assertEquals(List.of(false, false, true), alive());
    Region last = third.outgrownBy(noted(Region.small(128)));
    assertEquals(List.of(false, false, true, true), alive(), "readers are still expected");
    last.close();
  }

  @Test
  void memoryThatGrowsByLittleKeepsNoMoreThanTwiceItsSize() {
    Region region = first(6400);
    region.expectReaders();
    for (long bytes = 6464; bytes < 12_800; bytes += 64) {
      region = region.outgrownBy(noted(Region.small(bytes)));
      long kept =
          segments.stream()
              .filter(segment -> segment.scope().isAlive())
              .mapToLong(MemorySegment::byteSize)
              .sum();
      assertTrue(kept <= 3 * bytes, "kept " + kept + " bytes of " + bytes);
      assertTrue(segments.get(segments.size() - 2).scope().isAlive());
    }
    region.close();
    assertFalse(alive().contains(true));
  }

  @Test
  void addressSpaceThatIsOutgrownKeepsNoMemory() {
    long bytes = 2 * NodeMemory.HUGE_PAGE_BYTES;
    Region first = noted(Region.take(bytes, bytes, bytes, HugePages.OFF));
    first.expectReaders();
    Words.putLong(first.segment(), 8, 42);
    Region last =
        first.outgrownBy(noted(Region.take(2 * bytes, 2 * bytes, 2 * bytes, HugePages.OFF)));
    assertEquals(VirtualMemory.isAvailable() ? 0 : 42, Words.getLong(segments.getFirst(), 8));
    last.close();
    assertEquals(List.of(false, false), alive());
  }

  @Test
  void closedMemoryIsNotOutgrown() {
    Region first = first(64);
    first.expectReaders();
    first.close();
    Region larger = noted(Region.small(128));
    assertThrows(IllegalStateException.class, () -> first.outgrownBy(larger));
    assertEquals(List.of(false, false), alive());
  }

  /** Of two threads that write without a lock, one would else have memory that nobody closes. */
  @Test
  void memoryIsReplacedOnlyOnce() {
    for (boolean isBesideReaders : new boolean[] {false, true}) {
      segments.clear();
      Region first = first(64);
      if (isBesideReaders) {
        first.expectReaders();
      }
      Region second = first.outgrownBy(noted(Region.small(128)));
      assertThrows(
          ConcurrentModificationException.class, () -> first.outgrownBy(noted(Region.small(256))));
      assertThrows(
          ConcurrentModificationException.class, () -> first.replacedBy(noted(Region.small(64))));
      assertThrows(
          ConcurrentModificationException.class, () -> first.leftFor(noted(Region.small(64))));
      assertEquals(List.of(isBesideReaders, true, false, false, false), alive());
      Region third = second.replacedBy(noted(Region.small(64)));
      first.close();
      assertFalse(alive().contains(true));
      assertTrue(second.isClosed());
      assertTrue(third.isClosed());
    }
  }

  @Test
  void copyThatFailsLeavesAllAsItWas() {
    Region first = first(64);
    first.expectReaders();
    RuntimeException torn = new IllegalArgumentException("torn");
    assertSame(
        torn,
        assertThrows(
            IllegalArgumentException.class,
            () ->
                first.outgrownBy(
                    noted(Region.small(128)),
                    (_, _) -> {
                      throw torn;
                    })));
    assertEquals(List.of(true, false), alive());
    first.close();
  }

  /** As a thread that has memory grow may be in a call to the system. */
  @Test
  @Timeout(60)
  void closeWaitsForACallToTheSystemThatHasTheMemory() throws Exception {
    Region region = first(1 << 20);
    Pipe pipe = Pipe.open();
    try (Pipe.SinkChannel sink = pipe.sink();
        Pipe.SourceChannel source = pipe.source()) {
      ByteBuffer memory = region.segment().asByteBuffer();
      FutureTask<Integer> call = new FutureTask<>(() -> sink.write(memory));
      Thread.ofPlatform().daemon().start(call);
      source.read(ByteBuffer.allocate(1));
      FutureTask<Void> closing = new FutureTask<>(region::close, null);
      Thread.ofPlatform().daemon().start(closing);
      for (int i = 0; i < 1_000; i++) {
        Thread.yield();
        assertFalse(region.isClosed());
      }
      ByteBuffer rest = ByteBuffer.allocate((1 << 20) - 1);
      while (rest.hasRemaining()) {
        source.read(rest);
      }
      closing.get();
      assertEquals(1 << 20, call.get());
      assertTrue(region.isClosed());
    }
  }

  /** Others may be using what is in it. */
  @Test
  void arenaStaysIfTheSystemRefusesMoreMemoryForIt() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment before = Region.ofArena(arena, 1 << 20, 4096);
      assertThrows(MemoryLimitException.class, () -> Region.ofArena(arena, 1L << 60, 4096));
      assertTrue(arena.scope().isAlive());
      Words.putLong(before, 8, 42);
      assertEquals(42, Words.getLong(before, 8));
    }
  }
}
