// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.espalier.cli.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Results that were written as JSON, read again. */
final class StoredResults {
  private static final double MILLIS = 1000;

  private final Path folder;

  /** Reads from the folder to which results were written. */
  StoredResults(Path folder) {
    this.folder = folder;
  }

  /**
   * Returns the result of an experiment, or nothing if there is none.
   *
   * @throws CommandFailure if its file can't be read, or is not the result of an experiment
   */
  Optional<Result> of(Description description) {
    Path file = folder.resolve(description.name() + ".json");
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try {
      JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      return Optional.of(result(description, json));
    } catch (IOException
        | JsonParseException
        | IllegalStateException
        | IllegalArgumentException
        | NullPointerException e) {
      throw new CommandFailure("can't read " + file + ": " + e.getMessage(), e);
    }
  }

  private static Result result(Description now, JsonObject json) {
    Description description =
        new Description(
            now.name(),
            text(json, "title"),
            text(json, "source"),
            text(json, "paper"),
            text(json, "here"),
            now.chart());
    Duration duration = Duration.ofMillis(Math.round(json.get("seconds").getAsDouble() * MILLIS));
    return new Result(
        description, circumstances(json.getAsJsonObject("machine")), outcome(json), duration);
  }

  private static Circumstances circumstances(JsonObject json) {
    Map<String, String> machine = new LinkedHashMap<>();
    json.asMap().forEach((name, value) -> machine.put(name, value.getAsString()));
    return new Circumstances(
        machine,
        text(json, "CPU"),
        text(json, "commit"),
        LocalDate.parse(text(json, "date")),
        text(json, "effort").equals("quick"));
  }

  private static Outcome outcome(JsonObject json) {
    List<JsonObject> rows = objects(json, "rows");
    List<Column> columns = new ArrayList<>();
    for (JsonObject column : objects(json, "columns")) {
      String name = text(column, "name");
      columns.add(new Column(name, text(column, "label"), text(column, "unit"), type(rows, name)));
    }
    Outcome outcome = new Outcome(columns.toArray(Column[]::new));
    json.getAsJsonObject("parameters")
        .asMap()
        .forEach((name, value) -> outcome.parameter(name, value(value)));
    for (JsonObject row : rows) {
      outcome.row(columns.stream().map(column -> value(row.get(column.name()))).toArray());
    }
    for (JsonObject check : objects(json, "checks")) {
      outcome.check(
          new Check(
              text(check, "name"),
              Check.Kind.valueOf(text(check, "kind").toUpperCase(Locale.ROOT)),
              check.get("value").getAsDouble(),
              Target.parse(text(check, "target"))));
    }
    return outcome;
  }

  private static Class<?> type(List<JsonObject> rows, String column) {
    return rows.isEmpty() ? String.class : value(rows.getFirst().get(column)).getClass();
  }

  /** Returns a value as the type that wrote it: doubles have a point or an exponent. */
  private static Object value(JsonElement element) {
    JsonPrimitive value = element.getAsJsonPrimitive();
    if (value.isString()) {
      return value.getAsString();
    }
    if (value.isBoolean()) {
      return value.getAsBoolean();
    }
    boolean isWhole = value.getAsString().chars().noneMatch(c -> c == '.' || c == 'E');
    if (isWhole) {
      return value.getAsLong();
    }
    return value.getAsDouble();
  }

  private static List<JsonObject> objects(JsonObject json, String name) {
    return json.getAsJsonArray(name).asList().stream().map(JsonElement::getAsJsonObject).toList();
  }

  private static String text(JsonObject json, String name) {
    return json.get(name).getAsString();
  }
}
