// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import java.util.Locale;

/** An index in one line, for logs and debuggers. */
final class IndexDescription {
  private static final String[] UNITS = {"kB", "MB", "GB", "TB"};

  private IndexDescription() {}

  static String of(String name, long entries, long bytes) {
    return String.format(
        Locale.ROOT,
        "%s of %,d %s in %s",
        name,
        entries,
        entries == 1 ? "entry" : "entries",
        size(bytes));
  }

  private static String size(long bytes) {
    if (bytes < 1000) {
      return bytes + " bytes";
    }
    double inUnits = bytes / 1e3;
    int unit = 0;
    // What rounds to 1000.0 belongs to the next unit.
    while (inUnits >= 999.95 && unit < UNITS.length - 1) {
      inUnits /= 1e3;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", inUnits, UNITS[unit]);
  }
}
