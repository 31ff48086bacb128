// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.VirtualMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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
}
