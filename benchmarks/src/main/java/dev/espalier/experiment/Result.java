// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A run as it is written down.
 *
 * @param description what was run
 * @param machine what it ran on, by name
 * @param outcome what came out
 */
public record Result(Description description, Map<String, String> machine, Outcome outcome) {

  /** Returns all of it as maps, lists, strings, numbers and booleans. */
  public Map<String, Object> toJson() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("experiment", description.name());
    object.put("title", description.title());
    object.put("source", description.source());
    object.put("paper", description.paper());
    object.put("here", description.here());
    object.put("parameters", outcome.parameters());
    object.put("machine", machine);
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
