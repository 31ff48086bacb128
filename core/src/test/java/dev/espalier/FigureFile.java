// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Tables of measured figures, in the file that {@code -Dfigures=} names: a line for each row, its
 * cells separated by tabs, the head first; an empty line between tables. {@code benchmarks/run
 * engines} reads it.
 */
public final class FigureFile {
  private final List<String> lines = new ArrayList<>();

  /** Begins a table. */
  public void table(String... head) {
    if (!lines.isEmpty()) {
      lines.add("");
    }
    row((Object[]) head);
  }

  /** Adds a row: a string or a number for each column. */
  public void row(Object... cells) {
    lines.add(Arrays.stream(cells).map(Object::toString).collect(Collectors.joining("\t")));
  }

  /** Writes the file, if one is named. */
  public void write() throws IOException {
    String file = System.getProperty("figures");
    if (file != null) {
      Files.write(Path.of(file), lines);
    }
  }
}
