// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ElementPageTest {
  private static final int HEADER_BYTES = PageStore.RESERVED_BYTES + Long.BYTES;
  private static final int BYTES_OF_TWO_LONGS = 16;

  private final SplittableRandom random = new SplittableRandom(5);

  static IntStream pageBytes() {
    return IntStream.rangeClosed(10, 16).map(shift -> 1 << shift);
  }

  /** Bytes of what is in a page of so many slots before the keys. */
  private static int bytesBeforeKeys(int slots) {
    int bits = 2 * Math.ceilDiv(slots, 64) * Long.BYTES;
    return Math.ceilDiv(HEADER_BYTES + bits, CacheLine.BYTES) * CacheLine.BYTES;
  }

  @ParameterizedTest
  @MethodSource("pageBytes")
  void pageHasAsManySlotsAsFit(int bytes) {
    ElementPage layout = new ElementPage(bytes);
    assertEquals(bytesBeforeKeys(layout.capacity), layout.keysOffset);
    assertEquals(layout.keysOffset + 8L * layout.capacity, layout.valuesOffset);
    assertTrue(layout.valuesOffset + 8L * layout.capacity <= bytes);
    int more = layout.capacity + 1;
    assertTrue(bytesBeforeKeys(more) + BYTES_OF_TWO_LONGS * more > bytes);
  }

  /** Fills one page of three with everything there is, in any order. */
  @ParameterizedTest
  @MethodSource("pageBytes")
  void partsOfAPageDoNotOverlapAndNothingBesideItIsWritten(int bytes) {
    ElementPage layout = new ElementPage(bytes);
    int capacity = layout.capacity;
    MemorySegment pages = Arena.ofAuto().allocate(3L * bytes, CacheLine.BYTES).fill((byte) 0x5a);
    layout.clearBits(pages, bytes);
    long[] keys = random.longs(capacity).toArray();
    long[] values = random.longs(capacity).toArray();
    BitSet puts = new BitSet();
    BitSet pointers = new BitSet();
    ElementPage.number(pages, bytes, Long.MIN_VALUE + 7);
    for (int i = 0; i < capacity; i++) {
      int slot = (int) (i * 7919L % capacity);
      layout.set(pages, bytes, slot, keys[slot], values[slot]);
      puts.set(slot, random.nextBoolean());
      ElementPage.isPut(pages, bytes, slot, puts.get(slot));
      if (random.nextBoolean()) {
        setPointer(layout, pages, bytes, slot);
        pointers.set(slot);
      }
    }
    assertEquals(Long.MIN_VALUE + 7, ElementPage.number(pages, bytes));
    for (int slot = 0; slot < capacity; slot++) {
      assertEquals(keys[slot], layout.key(pages, bytes, slot));
      assertEquals(values[slot], layout.value(pages, bytes, slot));
      assertEquals(puts.get(slot), ElementPage.isPut(pages, bytes, slot));
      assertEquals(pointers.get(slot), layout.isPointer(pages, bytes, slot));
    }
    assertEquals(capacity - puts.cardinality(), layout.noPuts(pages, bytes));
    MemorySegment untouched = Arena.ofAuto().allocate(bytes).fill((byte) 0x5a);
    assertEquals(-1, pages.asSlice(0, bytes).mismatch(untouched));
    assertEquals(-1, pages.asSlice(2L * bytes, bytes).mismatch(untouched));
    assertEquals(0x5a5a_5a5a_5a5a_5a5aL, Words.getLong(pages, bytes), "what is the store's");
    assertEquals(0x5a5a_5a5a_5a5a_5a5aL, Words.getLong(pages, bytes + 8), "what is the store's");
  }

  @ParameterizedTest
  @MethodSource("pageBytes")
  void bitsOfOneSlotLeaveThoseOfOthersAlone(int bytes) {
    ElementPage layout = new ElementPage(bytes);
    MemorySegment pages = Arena.ofAuto().allocate(bytes, CacheLine.BYTES);
    for (int slot = 0; slot < layout.capacity; slot += 1 + random.nextInt(20)) {
      layout.clearBits(pages, 0);
      ElementPage.isPut(pages, 0, slot, false);
      assertEquals(1, layout.noPuts(pages, 0));
      assertEquals(0, layout.pointersBefore(pages, 0, layout.capacity));
      setPointer(layout, pages, 0, slot);
      assertEquals(1, layout.noPuts(pages, 0));
      assertEquals(1, layout.pointersBefore(pages, 0, layout.capacity));
      ElementPage.isPut(pages, 0, slot, true);
      assertEquals(0, layout.noPuts(pages, 0));
      assertTrue(layout.isPointer(pages, 0, slot));
    }
  }

  @ParameterizedTest
  @MethodSource("pageBytes")
  void pointersBeforeASlotAreTheSumAndTheBitsBelowIt(int bytes) {
    ElementPage layout = new ElementPage(bytes);
    MemorySegment pages = Arena.ofAuto().allocate(bytes, CacheLine.BYTES);
    for (int oneOf : new int[] {1, 3, 40}) {
      layout.clearBits(pages, 0);
      ElementPage.number(pages, 0, 1000);
      for (int slot = 0; slot < layout.capacity; slot++) {
        ElementPage.isPut(pages, 0, slot, random.nextBoolean());
        if (random.nextInt(oneOf) == 0) {
          setPointer(layout, pages, 0, slot);
        }
      }
      long expected = 1000;
      for (int slot = 0; slot < layout.capacity; slot++) {
        assertEquals(expected, layout.pointersBefore(pages, 0, slot));
        expected += layout.isPointer(pages, 0, slot) ? 1 : 0;
      }
      assertEquals(expected, layout.pointersBefore(pages, 0, layout.capacity));
    }
  }

  @ParameterizedTest
  @MethodSource("pageBytes")
  void closedBitIsOneOfThoseThatSayWhatIsNoPut(int bytes) {
    ElementPage layout = new ElementPage(bytes);
    MemorySegment pages = Arena.ofAuto().allocate(bytes, CacheLine.BYTES);
    layout.clearBits(pages, 0);
    boolean[] noPuts = new boolean[layout.capacity];
    for (int slot = 0; slot < layout.capacity; slot++) {
      noPuts[slot] = random.nextBoolean();
      ElementPage.isPut(pages, 0, slot, !noPuts[slot]);
      setPointer(layout, pages, 0, slot);
    }
    for (int count = layout.capacity; count > layout.capacity - 20; count--) {
      int closed = count % 5 == 0 ? count - 1 : random.nextInt(count);
      layout.closeBit(pages, 0, closed);
      System.arraycopy(noPuts, closed + 1, noPuts, closed, count - 1 - closed);
      noPuts[count - 1] = false;
      for (int slot = 0; slot < layout.capacity; slot++) {
        assertEquals(noPuts[slot], !ElementPage.isPut(pages, 0, slot));
      }
    }
    assertEquals(layout.capacity, layout.pointersBefore(pages, 0, layout.capacity));
  }

  /** Says that an element is a pointer. */
  static void setPointer(ElementPage layout, MemorySegment pages, long page, int slot) {
    long word = layout.pointerWord(pages, page, slot >>> 6);
    layout.pointerWord(pages, page, slot >>> 6, word | 1L << slot);
  }

  @ParameterizedTest
  @MethodSource("pageBytes")
  void pageOfAPositionIsItsQuotient(int bytes) {
    ElementPage page = new ElementPage(bytes);
    SplittableRandom random = new SplittableRandom(8);
    for (int i = 0; i < 10_000; i++) {
      long number = random.nextLong(1L << random.nextInt(1, 40));
      long first = number * page.capacity;
      assertEquals(number, page.pageOf(first));
      assertEquals(number, page.pageOf(first + page.capacity - 1));
    }
  }
}
