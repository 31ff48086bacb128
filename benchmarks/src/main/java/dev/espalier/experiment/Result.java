// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A run as it is written down.
 *
 * @param description what was run
 * @param circumstances what it ran on, and when
 * @param outcome what came out
 * @param duration how long it took
 */
public record Result(
    Description description, Circumstances circumstances, Outcome outcome, Duration duration) {
  /** The parameters that say how much data there was, the most telling first. */
  private static final List<String> AMOUNTS =
      List.of("entries", "entries of the largest tree", "keys", "MiB of the file");

  private static final double MILLIS = 1000;

  /** Returns the line below the chart: how much data, on what machine, when. */
  public String footer() {
    for (String amount : AMOUNTS) {
      if (outcome.parameters().get(amount) instanceof Number number) {
        return String.format(
            Locale.ROOT, "%,d %s · %s", number.longValue(), amount, circumstances.footer());
      }
    }
    return circumstances.footer();
  }

  /** Returns all of it as maps, lists, strings, numbers and booleans. */
  public Map<String, Object> toJson() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("experiment", description.name());
    object.put("title", description.title());
    object.put("source", description.source());
    object.put("paper", description.paper());
    object.put("here", description.here());
    object.put("parameters", outcome.parameters());
    object.put("machine", circumstances.machine());
    object.put("seconds", duration.toMillis() / MILLIS);
    object.put("columns", outcome.table().columns().stream().map(Result::toJson).toList());
    object.put("rows", outcome.table().rows().stream().map(this::toJson).toList());
    object.put("checks", outcome.checks().stream().map(Result::toJson).toList());
    return object;
  }

  private static Map<String, Object> toJson(Column column) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", column.name());
    object.put("label", column.label());
    object.put("unit", column.unit());
    return object;
  }

  private Map<String, Object> toJson(List<Object> row) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < row.size(); i++) {
      object.put(outcome.table().columns().get(i).name(), row.get(i));
    }
    return object;
  }

  private static Map<String, Object> toJson(Check check) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", check.name());
    object.put("kind", check.kind().name().toLowerCase(Locale.ROOT));
    object.put("value", check.value());
    object.put("target", check.target().toString());
    object.put("pass", check.passes());
    return object;
  }
}
