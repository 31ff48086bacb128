// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.benchmarks.programs.Engines;
import dev.espalier.benchmarks.programs.FirstHour;
import dev.espalier.benchmarks.ratios.BufferingRatios;
import dev.espalier.benchmarks.ratios.Family;
import dev.espalier.benchmarks.ratios.FileRatios;
import dev.espalier.benchmarks.ratios.HashRatios;
import dev.espalier.benchmarks.ratios.Ratios;
import dev.espalier.benchmarks.ratios.StringRatios;
import dev.espalier.benchmarks.stores.BeyondPool;
import dev.espalier.benchmarks.stores.CheckpointPauses;
import dev.espalier.benchmarks.stores.ManyIndexes;
import dev.espalier.benchmarks.stores.RecoveryTimes;
import dev.espalier.benchmarks.stores.StoreDefaults;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a command prints, and what it writes with {@code --json}. */
final class PublicationTest {
  @TempDir private Path folder;

  @Command(name = "made-up")
  private static final class MadeUp implements Runnable {
    @Option(names = "--entries")
    private String entries = "";

    @Option(names = "--quick")
    private boolean quick;

    @Parameters(arity = "0..1", paramLabel = "FOLDER")
    private Path parent = Path.of("");

    @Mixin private final Publication publication = new Publication();

    @Override
    public void run() {
      PrintedTable table =
          PrintedTable.inMarkdown("| %s | %.2fx | %.1f |", "tree", "ratio", "ns an entry");
      table.add(
          "PbPlusTree of " + entries + (quick ? " at most" : "") + parent, 0.1 + 0.2, 1 / 3.0);
      table.add("nothing", Double.NaN, 4.25);
      publication.print(table);
      PrintedTable puts = PrintedTable.inLines("%,d puts in %.1f s", "puts", "s");
      puts.add(1_000_000, 1.25);
      publication.print(puts);
      publication.write();
    }
  }

  private static String printed(String... words) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      assertEquals(0, new CommandLine(new MadeUp()).execute(words));
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private JsonObject written(String... words) throws IOException {
    printed(words);
    return JsonParser.parseString(Files.readString(json())).getAsJsonObject();
  }

  private Path json() {
    return folder.resolve("made-up.json");
  }

  @Test
  void fileHasEveryDigitOfWhatIsPrintedRounded() throws IOException {
    String printed = printed("--entries", "10k");
    assertEquals(
        """
        | tree | ratio | ns an entry |
        |---|---|---|
        | PbPlusTree of 10k | 0.30x | 0.3 |
        | nothing | NaNx | 4.3 |
        1,000,000 puts in 1.3 s
        """,
        printed);
    assertFalse(Files.exists(json()));
    assertEquals(printed, printed("--entries", "10k", "--json", json().toString()));
    assertEquals(
        JsonParser.parseString(
            """
            [{"head": ["tree", "ratio", "ns an entry"],
              "rows": [["PbPlusTree of 10k", 0.30000000000000004, 0.3333333333333333],
                       ["nothing", "NaN", 4.25]]},
             {"head": ["puts", "s"], "rows": [[1000000, 1.25]]}]
            """),
        JsonParser.parseString(Files.readString(json())).getAsJsonObject().get("tables"));
  }

  @Test
  void commandIsAsItWasTypedWithoutFilesAndFolders() throws IOException {
    JsonObject file = written("--json=" + json(), "--entries=10k", folder.toString());
    assertEquals("benchmarks/run made-up --entries=10k FOLDER", file.get("command").getAsString());
    file = written("--entries", "10k", "--json", json().toString());
    assertEquals("benchmarks/run made-up --entries 10k", file.get("command").getAsString());
  }

  @Test
  void machineIsToldAsOfExperimentsWithoutFolders() throws IOException {
    JsonObject machine = written("--json=" + json()).getAsJsonObject("machine");
    assertTrue(
        machine
            .keySet()
            .containsAll(Set.of("CPU", "JDK", "machine", "SIMD", "caches", "commit", "date")));
    assertEquals("full", machine.get("effort").getAsString());
    assertTrue(Set.of("on", "off").contains(machine.get("prefetch").getAsString()));
    assertEquals(
        "quick",
        written("--quick", "--json=" + json())
            .getAsJsonObject("machine")
            .get("effort")
            .getAsString());
  }

  @Test
  void fileThatCannotBeWrittenIsRefusedBeforeTheWork() {
    StringWriter errors = new StringWriter();
    CommandLine line = new CommandLine(new MadeUp()).setErr(new PrintWriter(errors));
    assertEquals(2, line.execute("--json=" + folder));
    assertTrue(errors.toString().startsWith("can't write " + folder + ": is a folder"));
  }

  /** The script gives commands the names that they write. */
  @ParameterizedTest
  @ValueSource(
      classes = {
        Ratios.class,
        Family.class,
        FileRatios.class,
        BufferingRatios.class,
        HashRatios.class,
        StringRatios.class,
        RecoveryTimes.class,
        BeyondPool.class,
        CheckpointPauses.class,
        StoreDefaults.class,
        ManyIndexes.class,
        Engines.class,
        FirstHour.class
      })
  void commandsThatPrintTablesWriteThem(Class<?> command) throws IOException {
    CommandSpec spec = new CommandLine(command).getCommandSpec();
    assertTrue(spec.optionsMap().containsKey("--json"));
    String script = Files.readString(Path.of("run"));
    String call = "  %s)\n    shift\n    main=%s\n".formatted(spec.name(), command.getName());
    assertTrue(script.contains(call), call);
  }

  @Test
  void rowHasACellForEachColumn() {
    PrintedTable table = PrintedTable.inMarkdown("| %s |", "tree");
    assertThrows(IllegalArgumentException.class, () -> table.add("PbPlusTree", 1));
    assertEquals(List.of("| tree |", "|---|"), table.lines());
  }
}
