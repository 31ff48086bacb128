// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pieces of memory that are cut from slabs. */
@Tag("fallback-too")
final class CursorMemoryTest {
  private static final int PIECES = 20_000;

  @Test
  void piecesAreZeroAndOfTheLengthAskedFor() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 300; i++) {
      long bytes = 8L * (1 + random.nextInt(i % 20 == 0 ? CursorMemory.MOST_BYTES / 8 : 100));
      MemorySegment piece = CursorMemory.allocate(bytes);
      assertEquals(bytes, piece.byteSize());
      assertEquals(0, piece.address() % 8);
      assertAll(piece, 0);
      piece.fill((byte) -1);
    }
  }

  @Test
  void threadsThatShareASlabGetPiecesOfTheirOwn() throws Exception {
    List<Taker> takers = new ArrayList<>();
    while (takers.size() < 4) {
      Taker taker = new Taker(takers.size());
      if (taker.threadId() % CursorMemory.SLABS == 0) {
        takers.add(taker);
      }
    }
    takers.forEach(Thread::start);
    for (Taker taker : takers) {
      taker.join();
    }
    for (Taker taker : takers) {
      assertEquals(PIECES, taker.pieces.size());
      for (int i = 0; i < PIECES; i++) {
        assertEquals(taker.mark(i), taker.pieces.get(i).get(ValueLayout.JAVA_LONG, 0));
      }
    }
  }

  /** Takes pieces and writes into each whose it is. */
  private static final class Taker extends Thread {
    final List<MemorySegment> pieces = new ArrayList<>();
    private final int number;

    Taker(int number) {
      this.number = number;
    }

    long mark(int i) {
      return 1 + (long) number * PIECES + i;
    }

    @Override
    public void run() {
      for (int i = 0; i < PIECES; i++) {
        MemorySegment piece = CursorMemory.allocate(Long.BYTES);
        piece.set(ValueLayout.JAVA_LONG, 0, mark(i));
        pieces.add(piece);
      }
    }
  }

  private static void assertAll(MemorySegment piece, int expected) {
    for (long at = 0; at < piece.byteSize(); at++) {
      assertEquals(expected, piece.get(ValueLayout.JAVA_BYTE, at));
    }
  }

  @Test
  void smallPiecesFollowOneAnother() {
    int apart = 0;
    long expected = CursorMemory.allocate(100).address() + 128;
    for (int i = 0; i < 10_000; i++) {
      long address = CursorMemory.allocate(100).address();
      apart += address == expected ? 0 : 1;
      expected = address + 128;
    }
    int slabs = 10_000 * 128 / CursorMemory.SLAB_BYTES + 1;
    assertTrue(apart <= 2 * slabs, apart + " of 10,000 stand elsewhere");
  }

  @Test
  void whatIsLargeStandsAlone() {
    MemorySegment piece = CursorMemory.allocate(CursorMemory.MOST_BYTES + 8L);
    assertEquals(CursorMemory.MOST_BYTES + 8L, piece.byteSize());
    assertAll(piece, 0);
  }
}
