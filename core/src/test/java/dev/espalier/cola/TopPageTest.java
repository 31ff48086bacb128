// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TopPageTest {
  private static final int SMALLEST = 1024;

  private final SplittableRandom random = new SplittableRandom(6);

  private ElementPage layout = new ElementPage(SMALLEST);
  private TopPage top = new TopPage(layout, layout.capacity);
  private MemorySegment pages = Arena.ofAuto().allocate(SMALLEST, CacheLine.BYTES);

  static IntStream pageBytes() {
    return IntStream.rangeClosed(10, 16).map(shift -> 1 << shift);
  }

  private void make(int bytes) {
    layout = new ElementPage(bytes);
    top = new TopPage(layout, layout.capacity);
    pages = Arena.ofAuto().allocate(bytes, CacheLine.BYTES).fill((byte) 0x5a);
    ElementPage.number(pages, 0, 0);
    layout.clearBits(pages, 0);
  }

  private void put(long key, long value) {
    top.append(pages, 0, top.checkedNumber(pages, 0), key, value, true);
  }

  private void delete(long key) {
    top.append(pages, 0, top.checkedNumber(pages, 0), key, ElementPage.TOMBSTONE, false);
  }

  /** Returns the messages in order, tombstones as key and minus sign. */
  private String folded() {
    int count = top.fold(pages, 0, pages, 0);
    List<String> messages = new ArrayList<>();
    for (int slot = 0; slot < count; slot++) {
      messages.add(message(pages, slot));
    }
    return String.join(" ", messages);
  }

  private String message(MemorySegment memory, int slot) {
    long key = layout.key(memory, 0, slot);
    if (ElementPage.isPut(memory, 0, slot)) {
      return key + "=" + layout.value(memory, 0, slot);
    }
    assertEquals(ElementPage.TOMBSTONE, layout.value(memory, 0, slot));
    return key + "-";
  }

  @Test
  void newestOfOneKeyStaysWhicheverItIs() {
    make(SMALLEST);
    put(5, 50);
    put(3, 30);
    put(5, 51);
    delete(3);
    put(4, 40);
    assertEquals("3- 4=40 5=51", folded());
    put(3, 31);
    delete(5);
    delete(4);
    put(4, 41);
    assertEquals("3=31 4=41 5-", folded());
    put(5, 52);
    delete(5);
    put(5, 1);
    delete(9);
    assertEquals("3=31 4=41 5=1 9-", folded());
  }

  @Test
  void extremeKeysHaveTheirPlaces() {
    make(SMALLEST);
    put(Long.MAX_VALUE, 1);
    delete(Long.MIN_VALUE);
    put(0, 0);
    put(Long.MIN_VALUE, 2);
    delete(Long.MAX_VALUE);
    assertEquals(Long.MIN_VALUE + "=2 0=0 " + Long.MAX_VALUE + "-", folded());
    assertEquals(0, top.find(pages, 0, Long.MIN_VALUE));
    assertEquals(2, top.find(pages, 0, Long.MAX_VALUE));
    assertEquals(-1, top.find(pages, 0, 1));
  }

  @ParameterizedTest
  @MethodSource("pageBytes")
  void anyMessagesAreFoundAndFoldedToTheNewestOfEachKey(int bytes) {
    make(bytes);
    TreeMap<Long, String> newest = new TreeMap<>();
    int keys = layout.capacity / 2;
    for (int i = 0; i < 5 * TopPage.TAIL; i++) {
      long number = top.checkedNumber(pages, 0);
      if (TopPage.sortedCount(number) + TopPage.tailCount(number) == layout.capacity) {
        assertEquals(String.join(" ", newest.values()), folded());
      }
      long key = random.nextInt(keys) - keys / 2;
      if (random.nextInt(3) == 0) {
        delete(key);
        newest.put(key, key + "-");
      } else {
        put(key, i);
        newest.put(key, key + "=" + i);
      }
      long asked = random.nextInt(keys) - keys / 2;
      int slot = top.find(pages, 0, asked);
      assertEquals(newest.get(asked), slot < 0 ? null : message(pages, slot));
    }
    assertEquals(String.join(" ", newest.values()), folded());
    assertEquals(newest.size(), top.checkedNumber(pages, 0));
    assertEquals(
        newest.values().stream().filter(message -> message.endsWith("-")).count(),
        layout.noPuts(pages, 0));
  }

  @Test
  void tailThatIsFullGoesIntoTheRestByItself() {
    make(4096);
    for (int i = 0; i < TopPage.TAIL - 1; i++) {
      put(i % 10, i);
    }
    assertEquals(TopPage.TAIL - 1, TopPage.tailCount(top.checkedNumber(pages, 0)));
    delete(7);
    long number = top.checkedNumber(pages, 0);
    assertEquals(0, TopPage.tailCount(number));
    assertEquals(10, TopPage.sortedCount(number));
    assertEquals("0=60 1=61 2=62 3=53 4=54 5=55 6=56 7- 8=58 9=59", folded());
  }

  @Test
  void copyIsInOrderAndThePageStaysAsItWas() {
    make(SMALLEST);
    put(5, 50);
    put(3, 30);
    delete(5);
    MemorySegment before = Arena.ofAuto().allocate(SMALLEST).copyFrom(pages);
    MemorySegment copy = Arena.ofAuto().allocate(SMALLEST, CacheLine.BYTES);
    assertEquals(2, top.fold(pages, 0, copy, 0));
    assertEquals("3=30", message(copy, 0));
    assertEquals("5-", message(copy, 1));
    assertEquals(-1, pages.mismatch(before));
  }

  @ParameterizedTest
  @MethodSource("pageBytes")
  void removedKeyLeavesTheOthersInOrder(int bytes) {
    make(bytes);
    TreeMap<Long, String> model = new TreeMap<>();
    for (int i = 0; i < layout.capacity; i++) {
      if (i % 3 == 0) {
        delete(i);
      } else {
        put(i, -i);
      }
      model.put((long) i, i % 3 == 0 ? i + "-" : i + "=" + -i);
    }
    folded();
    for (int i = 0; i < 40; i++) {
      long key = random.nextInt(layout.capacity);
      assertEquals(model.remove(key) != null, top.remove(pages, 0, key));
      assertEquals(model.size(), top.checkedNumber(pages, 0));
      int slot = 0;
      for (Map.Entry<Long, String> entry : model.entrySet()) {
        assertEquals(entry.getValue(), message(pages, slot++));
      }
    }
    assertFalse(top.remove(pages, 0, layout.capacity));
    assertTrue(top.remove(pages, 0, model.lastKey()));
  }

  @Test
  void countsThatCannotBeAreThrown() {
    make(SMALLEST);
    for (long number :
        new long[] {-1, layout.capacity + 1, Long.MIN_VALUE, 65L << 32, 60L << 32 | 1, 1L << 31}) {
      ElementPage.number(pages, 0, number);
      assertThrows(ConcurrentModificationException.class, () -> top.find(pages, 0, 1));
      assertThrows(ConcurrentModificationException.class, () -> top.fold(pages, 0, pages, 0));
    }
  }
}
