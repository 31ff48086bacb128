// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.espalier.cli.CommandFailure;
import dev.espalier.cli.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The board as a file. What it has need not be measured again, as long as what it says of the
 * machine, the commit and the run is still so.
 */
final class BoardFile {
  private static final String SETTINGS = "settings";
  private static final String MACHINE = "machine";
  private static final String COMMAND = "command";

  /** Between the commands that have filled one board. */
  private static final String AND = "; ";

  private static final String CHANGES = " with local changes";

  /** What may differ between the calls that fill one board. */
  private static final Set<String> PASSING = Set.of("date");

  private final Path file;
  private final Map<String, Object> facts;
  private final Board board = new Board();
  private final Set<String> ours = BoardPage.ours(Stores.all());

  /**
   * Takes up what there is.
   *
   * @param facts what a file of figures begins with: command, machine, settings
   * @throws CommandFailure if there is a file that can't be read, or one of another run
   */
  BoardFile(Path file, Map<String, Object> facts) {
    this.file = file;
    this.facts = new LinkedHashMap<>(facts);
    JsonObject before = read(file);
    if (before != null) {
      check(before);
      fill(before, board);
      this.facts.put(MACHINE, strings(before.getAsJsonObject(MACHINE)));
      String command = string(before, COMMAND);
      if (!List.of(command.split(AND, -1)).contains(String.valueOf(facts.get(COMMAND)))) {
        this.facts.put(COMMAND, command + AND + facts.get(COMMAND));
      } else {
        this.facts.put(COMMAND, command);
      }
    }
  }

  private static @Nullable JsonObject read(Path file) {
    if (!Files.exists(file)) {
      return null;
    }
    try {
      return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    } catch (IOException | JsonParseException | IllegalStateException e) {
      throw new CommandFailure("can't read " + file + ": " + e.getMessage(), e);
    }
  }

  private void check(JsonObject before) {
    for (String part : List.of(MACHINE, SETTINGS)) {
      Map<String, String> then = strings(before.getAsJsonObject(part));
      Map<?, ?> now = (Map<?, ?>) Objects.requireNonNull(facts.get(part));
      now.forEach(
          (name, value) -> {
            String was = then.getOrDefault(String.valueOf(name), "unknown");
            if (!PASSING.contains(name) && !unchanged(was).equals(unchanged(value.toString()))) {
              throw new CommandFailure(
                  "%s is of another run, whose %s was %s and not %s; delete it to measure anew"
                      .formatted(file, name, was, value));
            }
          });
    }
  }

  /** The file itself is a change to a checkout. */
  private static String unchanged(String fact) {
    return fact.replace(CHANGES, "");
  }

  /**
   * Returns the board of a file.
   *
   * @throws CommandFailure if it is not there or can't be read
   */
  static Published published(Path file) {
    JsonObject json = read(file);
    if (json == null) {
      throw new CommandFailure("can't read " + file + ": no such file");
    }
    Board all = new Board();
    fill(json, all);
    return new Published(
        string(json, COMMAND),
        strings(json.getAsJsonObject(MACHINE)),
        strings(json.getAsJsonObject(SETTINGS)),
        all);
  }

  /**
   * What a page is made of.
   *
   * @param command that measured
   * @param machine facts by name
   * @param settings of the run, by name
   * @param board the figures
   */
  record Published(
      String command, Map<String, String> machine, Map<String, String> settings, Board board) {}

  private static Map<String, String> strings(JsonObject object) {
    Map<String, String> strings = new LinkedHashMap<>();
    object.asMap().forEach((name, value) -> strings.put(name, value.getAsString()));
    return strings;
  }

  private static void fill(JsonObject json, Board board) {
    for (JsonElement element : json.getAsJsonArray("cells")) {
      JsonObject cell = element.getAsJsonObject();
      Cell place =
          new Cell(
              new Setting(
                  Setting.Kind.valueOf(string(cell, "kind")),
                  Setting.Data.valueOf(string(cell, "data")),
                  Setting.Sync.valueOf(string(cell, "sync")),
                  cell.get("entries").getAsInt()),
              Crew.valueOf(string(cell, "crew")),
              Work.valueOf(string(cell, "work")),
              Distribution.valueOf(string(cell, "distribution")));
      cell.getAsJsonObject("stores")
          .asMap()
          .forEach(
              (store, figures) ->
                  figures
                      .getAsJsonObject()
                      .getAsJsonArray("rounds")
                      .forEach(round -> board.add(place, store, figure(round.getAsJsonObject()))));
    }
  }

  private static String string(JsonObject object, String name) {
    return object.get(name).getAsString();
  }

  private static Figure figure(JsonObject round) {
    return new Figure(
        round.get("kops").getAsDouble(),
        round.get("p50").getAsDouble(),
        round.get("p99").getAsDouble(),
        round.get("p99_9").getAsDouble());
  }

  /** Returns what has been measured. */
  Board board() {
    return board;
  }

  /** Writes everything; whenever the program is ended, the file before or the new one is there. */
  void write() {
    Map<String, Object> written = new LinkedHashMap<>(facts);
    List<Object> cells = new ArrayList<>();
    for (Cell cell : board.cells()) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("kind", cell.setting().kind().name());
      object.put("data", cell.setting().data().name());
      object.put("sync", cell.setting().sync().name());
      object.put("entries", cell.setting().entries());
      object.put("crew", cell.crew().name());
      object.put("work", cell.work().name());
      object.put("distribution", cell.distribution().name());
      Map<String, Object> stores = new LinkedHashMap<>();
      for (String store : board.stores(cell)) {
        List<Figure> rounds = board.rounds(cell, store);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("median", toJson(Figure.median(rounds)));
        if (ours.contains(store)) {
          board.ratio(cell, store, ours).ifPresent(ratio -> figures.put("ratio", ratio));
        }
        figures.put("rounds", rounds.stream().map(BoardFile::toJson).toList());
        stores.put(store, figures);
      }
      object.put("stores", stores);
      cells.add(object);
    }
    written.put("cells", cells);
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Json.writeTo(next, written);
    try {
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new CommandFailure("can't write " + file + ": " + e, e);
    }
  }

  private static Map<String, Object> toJson(Figure figure) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("kops", figure.rate());
    object.put("p50", figure.p50());
    object.put("p99", figure.p99());
    object.put("p99_9", figure.p99_9());
    return object;
  }
}
