// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.family.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The family table is the catalogue. */
final class FamilyTableTest {
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(\\w+)` \\| [^|]+ \\| ([^|]+) \\| ([^|]+) \\|$");

  @Test
  void tableListsEveryVariantWithItsSourceAndMedium() throws IOException {
    List<String> catalogue =
        Family.all().stream()
            .map(variant -> row(variant.name(), variant.paper(), variant.medium().name()))
            .toList();
    List<String> table =
        ROW.matcher(Files.readString(Path.of("family.md")))
            .results()
            .map(row -> row(row.group(1), row.group(2), row.group(3)))
            .toList();
    assertEquals(catalogue, table);
  }

  private static String row(String name, String source, String medium) {
    return name + ", " + source + ", " + medium.toLowerCase(Locale.ROOT);
  }
}
