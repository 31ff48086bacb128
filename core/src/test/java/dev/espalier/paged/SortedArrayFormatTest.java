// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SortedArrayFormatTest {
  @ParameterizedTest
  @CsvSource({"256, 12, 16", "4096, 252, 336", "16384, 1020, 1360", "65536, 4092, 5456"})
  void pageHoldsAsManyEntriesAsFitBehindItsHeader(int pageBytes, int entries, int children) {
    SortedArrayFormat format = new SortedArrayFormat(pageBytes);
    assertEquals(entries, format.leafCapacity);
    assertEquals(children, format.innerCapacity);
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 512, 1024, 4096, 8192, 16384, 32768, 65536})
  void arraysDoNotOverlapAndEndWithThePage(int pageBytes) {
    SortedArrayFormat format = new SortedArrayFormat(pageBytes);
    assertEquals(PageHeader.BYTES, format.keysOffset);
    assertTrue(format.keysOffset + 8 * format.leafCapacity <= format.valuesOffset);
    assertEquals(pageBytes, format.valuesOffset + 8 * format.leafCapacity);
    assertEquals(0, format.valuesOffset % 8);
    assertTrue(format.keysOffset + 8 * format.innerCapacity <= format.childrenOffset);
    assertEquals(pageBytes, format.childrenOffset + 4 * format.innerCapacity);
    assertTrue(pageBytes - PageHeader.BYTES - 12 * format.innerCapacity < 12, "no room is lost");
  }

  @Test
  void stampTellsPageSizesApart() {
    assertEquals(new SortedArrayFormat(512).stamp(), new SortedArrayFormat(512).stamp());
    assertTrue(new SortedArrayFormat(512).stamp() != new SortedArrayFormat(1024).stamp());
    assertTrue(new SortedArrayFormat(512).stamp() != 0);
  }
}
