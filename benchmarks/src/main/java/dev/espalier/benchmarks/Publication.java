// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.cli.CommandFailure;
import dev.espalier.cli.Json;
import dev.espalier.experiment.Circumstances;
import dev.espalier.prefetch.Prefetch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * The tables of a command that measures: they are printed, and with {@code --json} written to a
 * file with all digits, the command and the machine, for {@code docs/measurements/runs}.
 */
public final class Publication {
  /** Where {@code benchmarks/run} says how it was called, without the name of the command. */
  private static final String CALL = "ESPALIER_BENCHMARKS";

  private static final String JSON = "--json";

  private final List<PrintedTable> tables = new ArrayList<>();

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  private @Nullable Path file;

  @Option(
      names = JSON,
      paramLabel = "FILE",
      description = "Also write the tables to a file, with all digits.")
  void setFile(Path named) {
    try {
      Json.checkWritable(named);
    } catch (CommandFailure e) {
      throw new ParameterException(spec().commandLine(), e.getMessage(), e);
    }
    file = named;
  }

  private CommandSpec spec() {
    return Objects.requireNonNull(command);
  }

  /** Prints a table, and keeps it for the file. */
  public void print(PrintedTable table) {
    table.lines().forEach(System.out::println);
    tables.add(table);
  }

  /** Writes the file, if one is wanted, with all tables that were printed. */
  public void write() {
    if (file == null) {
      return;
    }
    boolean quick = spec().commandLine().getParseResult().hasMatchedOption("--quick");
    Map<String, Object> machine =
        new LinkedHashMap<>(Circumstances.now(quick).published().machine());
    machine.put("prefetch", Prefetch.isNative() ? "on" : "off");
    Map<String, Object> written = new LinkedHashMap<>();
    written.put("command", command());
    written.put("machine", machine);
    written.put("tables", tables.stream().map(PrintedTable::toJson).toList());
    Json.writeTo(file, written);
  }

  /** Returns the command as it was typed, without this file and with a word for a folder. */
  private String command() {
    ParseResult parsed = spec().commandLine().getParseResult();
    Map<String, String> labels = new HashMap<>();
    for (PositionalParamSpec folder : parsed.matchedPositionals()) {
      folder.originalStringValues().forEach(value -> labels.put(value, folder.paramLabel()));
    }
    List<String> words = new ArrayList<>();
    words.add(System.getenv().getOrDefault(CALL, "benchmarks/run"));
    words.add(spec().name());
    for (Iterator<String> typed = parsed.originalArgs().iterator(); typed.hasNext(); ) {
      String word = typed.next();
      if (word.equals(JSON)) {
        typed.next();
      } else if (!word.startsWith(JSON + "=")) {
        words.add(labels.getOrDefault(word, word));
      }
    }
    return String.join(" ", words);
  }
}
