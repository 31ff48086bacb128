// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class TextTableTest {

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    TextTable table = new TextTable("name", ">count", "note");
    table.add("a", "1", "first");
    table.add("longer", "1,000,000", "");
    assertEquals(
        """
        name        count  note
        ------  ---------  -----
        a               1  first
        longer  1,000,000
        """,
        table.toString());
  }
}
