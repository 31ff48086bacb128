// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Measured figures as the documentation shows them: medians, rounded to what is worth reading, and
 * how many times as fast as the first structure.
 */
final class DocumentedFigures {
  /** Bytes of a key and its value, so that GB/s become nanoseconds for an entry. */
  private static final double ENTRY_BYTES = 16;

  /** Less than this is shown with a decimal. */
  private static final double FEW = 10;

  private static final double NANOS_PER_MICRO = 1000;

  /** A kind of work that the documentation names, in the order of its tables. */
  private enum Documented {
    LOOKUP(Measure.GET, "lookup", "Random lookups, per key"),
    BATCH(Measure.GET_ALL, "lookup in a batch", "Lookups in batches of 256, per key"),
    INSERT(Measure.PUT, "insert", "Random inserts, growing from empty, per entry"),
    RANGE(Measure.RANGE, "range of 100, per entry", "Ranges of 100 entries, per entry"),
    SCAN(Measure.SCAN_AFTER_PUT, "scan, per entry", "Scan of everything in order, per entry"),
    MEMORY(Measure.BYTES_AFTER_PUT, "memory per entry", "Memory per entry");

    private final Measure measure;
    private final String column;
    private final String title;

    Documented(Measure measure, String column, String title) {
      this.measure = measure;
      this.column = column;
      this.title = title;
    }
  }

  private final Figures figures;
  private final List<String> structures;

  /** Makes the texts of some structures; the first is what the others are compared with. */
  DocumentedFigures(Figures figures, List<String> structures) {
    this.figures = figures;
    this.structures = structures;
  }

  /** Returns every figure with its texts, in the order of the tables. */
  List<Object> toJson() {
    List<Object> all = new ArrayList<>();
    for (Documented work : Documented.values()) {
      for (String structure : structures) {
        List<Double> measured =
            figures.all().getOrDefault(new Figures.Series(structure, work.measure), List.of());
        if (!measured.isEmpty()) {
          all.add(toJson(work, structure, measured));
        }
      }
    }
    return all;
  }

  private Map<String, Object> toJson(Documented work, String structure, List<Double> measured) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("structure", structure);
    object.put("work", work.column);
    object.put("median", Figures.median(measured).orElseThrow());
    object.put("least", Collections.min(measured));
    object.put("greatest", Collections.max(measured));
    object.put("unit", work.measure.unit());
    object.put("rounds", measured.size());
    object.put("text", text(work, structure));
    value(work, structures.getFirst())
        .ifPresent(
            first -> object.put("ratio", times(first / value(work, structure).orElse(Double.NaN))));
    return object;
  }

  /** Returns a table in Markdown: a line for each structure, a column for each kind of work. */
  List<String> table() {
    StringBuilder header = new StringBuilder("| |");
    StringBuilder rule = new StringBuilder("|---|");
    for (Documented work : Documented.values()) {
      header.append(' ').append(work.column).append(" |");
      rule.append("---:|");
    }
    List<String> lines = new ArrayList<>(List.of(header.toString(), rule.toString()));
    for (String structure : structures) {
      StringBuilder line = new StringBuilder("| `" + structure + "` |");
      for (Documented work : Documented.values()) {
        line.append(' ').append(text(work, structure)).append(" |");
      }
      lines.add(line.toString());
    }
    return lines;
  }

  /** Returns a chart as SVG: a panel for each kind of work but memory. */
  String chart(long entries) {
    BarPanels panels =
        new BarPanels("%,d entries, one thread; shorter is faster".formatted(entries));
    for (Documented work :
        List.of(Documented.LOOKUP, Documented.BATCH, Documented.INSERT, Documented.SCAN)) {
      List<BarPanels.Bar> bars = new ArrayList<>();
      for (String structure : structures) {
        value(work, structure)
            .ifPresent(
                value -> bars.add(new BarPanels.Bar(structure, value, text(work, structure))));
      }
      panels.add(work.title, bars);
    }
    return panels.svg();
  }

  /** Returns nanoseconds or bytes; smaller is better for all of them. */
  private OptionalDouble value(Documented work, String structure) {
    OptionalDouble median = figures.median(structure, work.measure);
    return median.isPresent() && work == Documented.SCAN
        ? OptionalDouble.of(ENTRY_BYTES / median.getAsDouble())
        : median;
  }

  private String text(Documented work, String structure) {
    OptionalDouble value = value(work, structure);
    if (value.isEmpty()) {
      return "–";
    }
    return work == Documented.MEMORY
        ? rounded(value.getAsDouble()) + " bytes"
        : time(value.getAsDouble());
  }

  /** Returns a time in the unit in which one would say it: {@code 7.2 ns}, {@code 2.5 µs}. */
  static String time(double nanos) {
    return nanos < NANOS_PER_MICRO
        ? rounded(nanos) + " ns"
        : rounded(nanos / NANOS_PER_MICRO) + " µs";
  }

  /** Returns a ratio as it is said: {@code 11 times}, {@code 1.8 times}. */
  static String times(double ratio) {
    return rounded(ratio) + " times";
  }

  private static String rounded(double value) {
    return String.format(Locale.ROOT, value < FEW ? "%.1f" : "%.0f", value);
  }
}
