// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.benchmarks.ratios.Ratios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The whole program, on very little data. */
final class YcsbTest {
  @TempDir private Path docs;

  private int run(String... further) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "--entries=1000",
                "--millis=5",
                "--kinds=longs",
                "--data=memory",
                "--works=c",
                "--crews=one",
                "--distributions=uniform",
                "--only=ConcurrentSkipListMap",
                "--docs=" + docs));
    words.addAll(List.of(further));
    return Ratios.commandLine(new Ycsb()).execute(words.toArray(String[]::new));
  }

  private List<Figure> rounds() {
    Board board =
        BoardFile.published(docs.resolve("measurements").resolve("runs").resolve("ycsb.json"))
            .board();
    assertEquals(1, board.cells().size());
    return board.rounds(board.cells().iterator().next(), "ConcurrentSkipListMap");
  }

  @Test
  void whatHasBeenMeasuredIsNotMeasuredAgain() throws IOException {
    assertEquals(0, run("--rounds=2"));
    List<Figure> first = rounds();
    assertEquals(2, first.size());
    assertEquals(0, run("--rounds=2"));
    assertEquals(first, rounds());
    assertEquals(0, run("--rounds=3"));
    assertEquals(3, rounds().size());
    assertEquals(first, rounds().subList(0, 2));
    String page = Files.readString(docs.resolve("measurements").resolve("ycsb.md"));
    assertTrue(page.contains("| | C, uniform |"), page);
    assertTrue(Files.exists(docs.resolve("images").resolve("ycsb.svg")));
  }

  @Test
  void nothingIsBegunAfterTheTimeIsUp() {
    assertEquals(0, run("--rounds=1"));
    assertEquals(0, run("--rounds=2", "--minutes=0"));
    assertEquals(1, rounds().size());
  }

  @Test
  void storeThatIsNotThereIsRefused() {
    assertEquals(1, run("--only=Nothing"));
    assertEquals(false, Files.exists(docs.resolve("measurements")));
  }

  private static List<Setting> planned(String... words) {
    Ycsb ycsb = new Ycsb();
    Ratios.commandLine(ycsb).parseArgs(words);
    return ycsb.plans().stream().flatMap(plan -> plan.settings().stream()).toList();
  }

  private static Setting asItComes(Setting.Kind kind, int entries) {
    return new Setting(kind, Setting.Data.AS_IT_COMES, Setting.Sync.NOTHING, entries);
  }

  @Test
  void storesAsTheyComeAreMeasuredFirst() {
    List<Setting> settings = planned();
    assertEquals(
        List.of(
            asItComes(Setting.Kind.LONGS, 8_000_000),
            asItComes(Setting.Kind.STRINGS_100, 1_000_000)),
        settings.subList(0, 2));
    assertEquals(2, settings.stream().filter(Setting::isAsItComes).count());
    assertEquals(
        Set.of(1_000_000),
        settings.stream()
            .skip(2)
            .filter(setting -> !setting.isBounded())
            .map(Setting::entries)
            .collect(Collectors.toSet()));
  }

  @Test
  void storesBeyondTheirPoolHaveHalfAGigabyte() {
    List<Setting> settings = planned("--data=tenfold", "--sync=nothing");
    assertEquals(
        List.of(31_250_000, 17_857_142, 4_166_666, 490_196),
        settings.stream().map(Setting::entries).toList());
    settings.forEach(
        setting -> assertEquals(50, setting.poolBytes() / 1_000_000, 1, setting.label()));
    assertEquals(1000, planned("--data=tenfold", "--entries=1000").getFirst().entries());
  }

  @Test
  void storesAsTheyComeLoadAndDoCAndAAndE() {
    Ycsb ycsb = new Ycsb();
    Ratios.commandLine(ycsb).parseArgs("--crews=one", "--distributions=zipf");
    Plan first = ycsb.plans().getFirst();
    assertEquals(
        List.of(Work.FILL_RANDOM, Work.A, Work.C, Work.E),
        first.cells(first.settings().getFirst()).stream().map(Cell::work).toList());
  }

  @Test
  void quickRunHasFewerEntries() {
    assertEquals(
        List.of(
            asItComes(Setting.Kind.LONGS, 400_000), asItComes(Setting.Kind.STRINGS_100, 50_000)),
        planned("--quick").subList(0, 2));
    assertEquals(50_000, planned("--quick").getLast().entries());
  }

  @Test
  void whatIsAskedForIsMeasuredOfStoresAsTheyCome() {
    assertEquals(
        List.of(asItComes(Setting.Kind.STRINGS_8, 1000)),
        planned("--data=as_it_comes", "--kinds=strings_8", "--entries=1000"));
    assertEquals(List.of(), planned("--data=as_it_comes", "--sync=groups"));
  }

  /** The script gives the command its name. */
  @Test
  void scriptKnowsTheCommand() throws IOException {
    CommandSpec spec = new CommandLine(new Ycsb()).getCommandSpec();
    String call = "  %s)\n    shift\n    main=%s\n".formatted(spec.name(), Ycsb.class.getName());
    assertTrue(Files.readString(Path.of("run")).contains(call), call);
  }
}
