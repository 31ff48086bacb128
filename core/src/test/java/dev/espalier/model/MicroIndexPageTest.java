// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class MicroIndexPageTest {

  @Test
  void pageIsFullWithEntriesOfWholeLines() {
    // 16 sub-arrays of 32 keys: 8 + 64 bytes, two lines; of the other 62, half are for keys
    MicroIndexPage page = new MicroIndexPage(64, 64, 8, 4, 4);
    assertEquals(496, page.entries(2));
    assertEquals(2, page.indexLines(2, 496));
    assertEquals(32, page.subArrayCapacity(2));
    assertEquals(2, page.pointerLines(2));
  }

  @Test
  void smallerSubArraysTakeALargerMicroIndex() {
    // 30 sub-arrays of 16 keys: 8 + 120 bytes. A 31st would begin a third line, leaving 61.
    MicroIndexPage page = new MicroIndexPage(64, 64, 8, 4, 4);
    assertEquals(480, page.entries(1));
    assertEquals(2, page.indexLines(1, 480));
    assertEquals(3, page.indexLines(1, 481));
  }

  @Test
  void pointersMayBeSmallerThanKeys() {
    // 8-byte keys and 4-byte page ids: in 63 lines, 42 of keys and 21 of pointers are 336 entries,
    // but of 336 / 16 keys the index has 21, 168 + 16 bytes: three lines. In 61 lines, 40 of keys
    // are 320 entries with 20 of pointers, and a line is left, which has no room for both.
    MicroIndexPage page = new MicroIndexPage(64, 64, 16, 8, 4);
    assertEquals(3, page.indexLines(2, 320));
    assertEquals(320, page.entries(2));
    assertEquals(1, page.pointerLines(2));
    assertEquals(2, page.pointerLines(3)); // 24 of 4 bytes
  }

  @Test
  void subArraysBeginAtALineWhereKeysDoNotFillOne() {
    // Three 20-byte keys a line. 16 lines: one of 4 + 7 * 20 bytes would be three; with sub-arrays
    // of two lines, 3 lines of index over 6, ten lines of keys for 30, and two of pointers
    MicroIndexPage page = new MicroIndexPage(16, 64, 4, 20, 4);
    assertEquals(3, page.subArrayCapacity(1));
    assertEquals(6, page.subArrayCapacity(2));
    assertEquals(2, page.indexLines(2, 30));
    assertEquals(33, page.entries(2)); // 4 + 6 * 20 bytes; 11 lines of keys, 132 bytes of pointers
  }

  @Test
  void pageWithoutRoomHasNoEntries() {
    assertEquals(0, new MicroIndexPage(2, 64, 8, 4, 4).entries(1));
    assertEquals(0, new MicroIndexPage(1, 64, 0, 4, 4).entries(1));
  }

  @Test
  void impossibleSizesAreRefused() {
    assertRefused("lines is 0; it must be at least 1", () -> new MicroIndexPage(0, 64, 8, 4, 4));
    assertRefused("lineBytes is 0; it must be at least 1", () -> new MicroIndexPage(1, 0, 8, 4, 4));
    assertRefused(
        "headerBytes is -1; it must be at least 0", () -> new MicroIndexPage(1, 64, -1, 4, 4));
    assertRefused("keyBytes is 0; it must be at least 1", () -> new MicroIndexPage(1, 64, 8, 0, 4));
    assertRefused(
        "keyBytes is 65; it must be at most a line, 64 bytes",
        () -> new MicroIndexPage(1, 64, 8, 65, 4));
    assertRefused(
        "pointerBytes is 0; it must be at least 1", () -> new MicroIndexPage(1, 64, 8, 4, 0));
    assertRefused(
        "subArrayLines is 0; it must be at least 1",
        () -> new MicroIndexPage(4, 64, 8, 4, 4).entries(0));
  }

  private static void assertRefused(String message, Runnable call) {
    var e = assertThrows(IllegalArgumentException.class, call::run);
    assertEquals(message, e.getMessage());
  }
}
