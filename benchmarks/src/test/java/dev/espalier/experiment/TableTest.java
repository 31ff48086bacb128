// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TableTest {
  private final Table table = Results.lines().outcome().table();

  @Test
  void rowsAreTakenApartInTheOrderOfTheirFirstRows() {
    assertEquals(
        List.of("PbPlusTree", "a \"quoted\", <tree>"), List.copyOf(table.by("tree").keySet()));
    Table part = table.where("tree", "PbPlusTree");
    assertArrayEquals(new double[] {1, 8}, part.numbers("width"));
    assertArrayEquals(new double[] {10.5, 100}, part.numbers("nanos"));
    assertThrows(IllegalArgumentException.class, () -> table.where("tree", "Oak"));
    assertThrows(IllegalArgumentException.class, () -> table.by("age"));
  }

  @Test
  void valuesOfAnotherTypeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> table.add("x", 1.5, 1.0));
    assertThrows(IllegalArgumentException.class, () -> table.add("x", 1, 1));
    assertThrows(IllegalArgumentException.class, () -> table.add("x", 1, Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> table.add("x", 1));
    assertEquals(3, table.rows().size());
  }
}
