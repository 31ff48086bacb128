// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands over index files: what they print, and with which status they end. */
final class FileCommandsTest {
  private static final int PAGE = 4096;

  @TempDir private Path folder;

  private Path index() {
    return folder.resolve("index.esp");
  }

  private Path csv(String text) throws IOException {
    return Files.writeString(folder.resolve("input.csv"), text);
  }

  private CommandRun run(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command, index().toString()));
    all.addAll(List.of(arguments));
    return CommandRun.of(all.toArray(String[]::new));
  }

  private CommandRun load(String lines, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(csv(lines).toString()));
    arguments.addAll(List.of(options));
    CommandRun run = run("load", arguments.toArray(String[]::new));
    assertEquals("", run.err());
    assertEquals(0, run.status());
    return run;
  }

  /** Entries 1 to {@code count}, each key with its negative as value. */
  private static String lines(long count) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(key -> key + "," + -key + "\n")
        .collect(Collectors.joining());
  }

  // ---------------------------------------------------------------- load

  @Test
  void dumpOfALoadedFileIsTheSortedInput() throws IOException {
    List<String> shuffled = new ArrayList<>(lines(20_000).lines().toList());
    Collections.shuffle(shuffled, new Random(1));
    CommandRun run = load(String.join("\n", shuffled), "--page-size", "4K", "--pool", "64K");
    assertTrue(
        run.out()
            .matches(
                "\\Q"
                    + index()
                    + "\\E: DiskFirstFpbPlusTree, 20,000 entries, [0-9]+ pages of 4,096"
                    + " bytes, [0-9,]+ bytes in all, [0-9.]+ s\\.\\R"),
        run.out());
    CommandRun dump = run("dump");
    assertEquals(new CommandRun(0, lines(20_000), ""), dump);
  }

  @Test
  void dumpCanBeLoadedFromStandardInput() throws IOException {
    load("3,30\n1,10\n-2,-20\n");
    String dumped = run("dump").out();
    assertEquals("-2,-20\n1,10\n3,30\n", dumped);
    Path copy = folder.resolve("copy.esp");
    InputStream standardInput = System.in;
    System.setIn(new ByteArrayInputStream(dumped.getBytes(StandardCharsets.UTF_8)));
    try {
      assertEquals("", CommandRun.of("load", copy.toString(), "-").err());
    } finally {
      System.setIn(standardInput);
    }
    assertEquals(dumped, CommandRun.of("dump", copy.toString()).out());
  }

  @Test
  void headerBlankLinesAndSpacesAreSkipped() throws IOException {
    load("\uFEFF\"key\", \"value\"\n\n  5 , 50\r\n\n+4,-40");
    assertEquals("4,-40\n5,50\n", run("dump").out());
  }

  @Test
  void headerThatIsSkippedIsShown() throws IOException {
    CommandRun run = load("order key,row\n5,50\n");
    assertEquals(
        "Skipped the header 'order key,row'.", run.out().lines().findFirst().orElseThrow());
  }

  @Test
  void byteOrderMarkIsNoHeader() throws IOException {
    load("\uFEFF1,10\n");
    assertEquals("1,10\n", run("dump").out());
  }

  @Test
  void extremeKeysAndValuesAreKept() throws IOException {
    String lines =
        Long.MIN_VALUE + "," + Long.MAX_VALUE + "\n" + Long.MAX_VALUE + "," + Long.MIN_VALUE + "\n";
    load(lines);
    assertEquals(lines, run("dump").out());
    assertEquals(lines, run("scan", "" + Long.MIN_VALUE, "" + Long.MAX_VALUE).out());
    assertEquals(lines, run("get", "" + Long.MIN_VALUE, "" + Long.MAX_VALUE).out());
  }

  @Test
  void lastLineOfAKeyCountsAndTheOthersAreReported() throws IOException {
    StringBuilder input = new StringBuilder();
    for (int round = 0; round < 10; round++) {
      for (int key = 0; key < 2_000; key++) {
        input.append(key * 7 % 2_000).append(',').append(round).append('\n');
      }
    }
    CommandRun run = load(input.toString());
    assertEquals(
        "Left out 18,000 lines, because a later line has the same key.",
        run.out().lines().findFirst().orElseThrow());
    assertTrue(run.out().contains(" 2,000 entries, "), run.out());
    assertEquals(
        LongStream.range(0, 2_000).mapToObj(key -> key + ",9\n").collect(Collectors.joining()),
        run("dump").out());
  }

  @Test
  void emptyInputMakesAnEmptyIndex() throws IOException {
    load("\n");
    assertEquals(new CommandRun(0, "", ""), run("dump"));
    assertEquals(0, run("verify").status());
    assertEquals(0, run("inspect").status());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1,x                     | 1,x
          x,1                     | x,1
          12                      | 12
          1,2,3                   | 1,2,3
          9223372036854775808,1   | 9223372036854775808,1
          """)
  void wrongLineIsNamedAndNothingIsMade(String line, String shown) throws IOException {
    for (String before : List.of("", "1,1\n\n")) {
      Path input = csv(before + line + "\n2,2\n");
      CommandRun run = run("load", input.toString());
      assertEquals(
          new CommandRun(
              1,
              "",
              ("espalier load: %s, line %d: '%s' is not key,value: two decimal numbers from -2^63"
                      + " to 2^63-1%n")
                  .formatted(input, before.isEmpty() ? 1 : 3, shown)),
          run);
      assertFalse(Files.exists(index()));
    }
  }

  @Test
  void missingInputIsExplained() {
    CommandRun run = run("load", folder.resolve("none.csv").toString());
    assertEquals(1, run.status());
    assertEquals(
        "espalier load: %s: no such file%n".formatted(folder.resolve("none.csv")), run.err());
    assertFalse(Files.exists(index()));
  }

  @Test
  void foldersInTheWayAreExplainedBeforeTheInputIsRead() {
    for (String command : List.of("load", "dump", "verify", "inspect")) {
      CommandRun run =
          command.equals("load")
              ? CommandRun.of(command, folder.toString(), "none.csv")
              : CommandRun.of(command, folder.toString());
      assertEquals(
          new CommandRun(1, "", "espalier %s: %s: is a folder%n".formatted(command, folder)), run);
    }
    Path missing = folder.resolve("missing");
    assertEquals(
        new CommandRun(
            1,
            "",
            "espalier load: %s: no such folder: %s%n".formatted(missing.resolve("i.esp"), missing)),
        CommandRun.of("load", missing.resolve("i.esp").toString(), "none.csv"));
    assertEquals(
        new CommandRun(1, "", "espalier load: %s: is a folder%n".formatted(folder)),
        run("load", folder.toString()));
  }

  @Test
  void stripeThatIsThereIsNotOverwritten() throws IOException {
    Path stripe = Files.writeString(folder.resolve("stripe"), "precious");
    CommandRun run = run("load", csv("1,1\n").toString(), "--stripe", stripe.toString());
    assertEquals(
        new CommandRun(1, "", "espalier load: %s: the file exists already%n".formatted(stripe)),
        run);
    assertFalse(Files.exists(index()));
    assertEquals("precious", Files.readString(stripe));
  }

  @Test
  void fileThatIsThereIsNotOverwritten() throws IOException {
    load("1,1\n");
    CommandRun run = run("load", csv("2,2\n").toString());
    assertEquals(
        new CommandRun(
            1,
            "",
            "espalier load: %s: the file exists already; --append adds to it%n".formatted(index())),
        run);
    assertEquals("1,1\n", run("dump").out());
  }

  @Test
  void failedLoadLeavesNoFile() {
    long[] notAscending = {1, 2, 2};
    assertThrows(
        IllegalArgumentException.class,
        () ->
            IndexFiles.make(
                index(),
                FileOptions.DEFAULT,
                new RowNumbers(notAscending),
                1.0,
                notAscending.length,
                ProgressListener.NONE));
    assertFalse(Files.exists(index()));
  }

  @Test
  void poolThatIsTooLargeLeavesNoFile() throws IOException {
    CommandRun run = run("load", csv("1,1\n").toString(), "--pool", "900G");
    assertEquals(1, run.status());
    assertTrue(run.err().startsWith("espalier load: " + index()), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertFalse(Files.exists(index()));
  }

  @Test
  void pagesAreSpreadOverStripes() throws IOException {
    Path stripe = folder.resolve("stripe.esp");
    String[] option = {"--stripe", stripe.toString(), "--page-size", "4K"};
    load(lines(20_000), option);
    assertTrue(Files.size(stripe) > 30 * PAGE);
    assertEquals(lines(20_000), run("dump", "--stripe", stripe.toString()).out());
    assertEquals(0, run("verify", "--stripe", stripe.toString()).status());
    CommandRun inspected = run("inspect", "--stripe", stripe.toString());
    assertTrue(inspected.out().lines().anyMatch("Stripes  2"::equals), inspected.out());
    CommandRun without = run("dump");
    assertEquals(
        "espalier dump: %s: the store is spread over 2 files, not 1%n".formatted(index()),
        without.err());
    assertEquals(1, without.status());
    CommandRun twice = run("inspect", "--stripe", index().toString());
    assertEquals(1, twice.status());
    assertEquals(1, twice.err().lines().count(), twice.err());
  }

  @Test
  void appendPutsIntoTheIndexThatIsThere() throws IOException {
    load("1,10\n2,20\n3,30\n", "--variant", "microindexbplustree");
    CommandRun run = load("4,40\n2,21\n5,50\n", "--append");
    assertEquals(
        "Added 2 entries, and replaced the values of 1.",
        run.out().lines().findFirst().orElseThrow());
    assertTrue(run.out().contains(": MicroIndexBPlusTree, 5 entries, "), run.out());
    assertEquals("1,10\n2,21\n3,30\n4,40\n5,50\n", run("dump").out());
  }

  @Test
  void colaIsLoadedReadAndCheckedLikeTheOtherTrees() throws IOException {
    load(lines(3_000), "--variant", "Cola", "--page-size", "1K", "--pool", "64K");
    load("7,70\n9000,1\n", "--append", "--pool", "64K");
    assertEquals("7,70\n3000,-3000\n9000,1\n", run("get", "7", "3000", "9000").out());
    assertEquals("6,-6\n7,70\n8,-8\n", run("scan", "6", "8").out());
    assertEquals(3_001, run("dump").out().lines().count());
    assertEquals(0, run("verify").status());
    CommandRun inspect = run("inspect");
    assertEquals(0, inspect.status(), inspect.err());
    assertTrue(inspect.out().contains("Cola"), inspect.out());
    assertTrue(inspect.out().contains("Entries  3,001"), inspect.out());
  }

  @Test
  void appendOfManyBatchesPutsThemAll() throws IOException {
    load("1,0\n", "--page-size", "4K", "--pool", "64K");
    load(lines(20_000), "--append", "--pool", "64K");
    assertEquals(lines(20_000), run("dump").out());
    assertEquals(0, run("verify").status());
  }

  @Test
  void appendNeedsTheFileAndItsTree() throws IOException {
    Path input = csv("1,1\n");
    CommandRun missing = run("load", input.toString(), "--append");
    assertEquals(1, missing.status());
    assertEquals("espalier load: %s: no such file%n".formatted(index()), missing.err());
    assertFalse(Files.exists(index()));
    load("1,1\n");
    CommandRun other =
        run("load", input.toString(), "--append", "--variant", "DiskOptimizedBPlusTree");
    assertEquals(1, other.status());
    assertTrue(other.err().contains(" is a DiskFirstFpbPlusTree"), other.err());
    assertEquals(1, other.err().lines().count(), other.err());
  }

  @Test
  void tpchLoadsOrders() {
    CommandRun run = run("load", "--tpch", "0.001", "--fill", "0.7");
    assertEquals("", run.err());
    assertTrue(run.out().contains(" 1,500 entries, "), run.out());
    // 8 of each 32 numbers are in use, from 1 on.
    assertEquals("1,0\n2,1\n", run("scan", "0", "2").out());
    assertEquals("33,8\n", run("get", "33").out());
  }

  // ---------------------------------------------------------------- read

  @Test
  void getPrintsWhatIsThereAndNamesWhatIsMissing() throws IOException {
    load("-5,50\n7," + Long.MIN_VALUE + "\n");
    assertEquals(new CommandRun(0, "-5,50\n", ""), run("get", "-5"));
    assertEquals(
        new CommandRun(
            1,
            "7,-9223372036854775808\n-5,50\n",
            "espalier get: no entry with key 8%n".formatted()),
        run("get", "7", "8", "-5"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          -10 3               | 1,-1 2,-2 3,-3
          -10 3 --descending  | 3,-3 2,-2 1,-1
          2 2                 | 2,-2
          2 9 --limit 2       | 2,-2 3,-3
          2 9 --limit 0       | ''
          8 99 --descending --limit 1 | 9,-9
          100 200             | ''
          -9 -1 --descending  | ''
          """)
  void scanPrintsTheRange(String arguments, String expected) throws IOException {
    load(lines(9));
    CommandRun run = run("scan", arguments.split(" "));
    assertEquals("", run.err());
    assertEquals(expected, String.join(" ", run.out().lines().toList()));
    assertEquals(0, run.status());
  }

  @Test
  void longScanIsTheSameInBothDirections() throws IOException {
    load(lines(20_000), "--page-size", "4K");
    List<String> up = run("scan", "--pool", "64K", "100", "19000").out().lines().toList();
    List<String> down =
        run("scan", "--pool", "64K", "100", "19000", "--descending").out().lines().toList();
    assertEquals(18_901, up.size());
    assertEquals(up, down.reversed());
  }

  @Test
  void closedPipeEndsTheDumpWithoutAMessage() throws IOException {
    load(lines(20_000));
    long[] written = {0};
    Writer closing =
        new Writer() {
          @Override
          public void write(char[] characters, int from, int count) throws IOException {
            written[0] += count;
            if (written[0] > 20_000) {
              throw new IOException("Broken pipe");
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    StringWriter err = new StringWriter();
    int status = Espalier.run(closing, err, List.of(), "dump", index().toString());
    assertEquals("", err.toString());
    assertEquals(1, status);
    assertTrue(written[0] < 60_000, () -> "wrote on: " + written[0]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"get 1", "scan 1 2", "dump", "inspect", "verify"})
  void fileThatIsNoIndexIsExplained(String commandLine) throws IOException {
    List<String> words = new ArrayList<>(List.of(commandLine.split(" ")));
    String command = words.removeFirst();
    CommandRun missing = run(command, words.toArray(String[]::new));
    assertEquals(1, missing.status());
    assertTrue(
        missing.err().startsWith("espalier %s: %s: ".formatted(command, index())), missing.err());
    assertEquals(1, missing.err().lines().count(), missing.err());
    assertFalse(Files.exists(index()));

    Files.writeString(index(), "1,2\n".repeat(10_000));
    assertEquals(
        new CommandRun(
            1, "", "espalier %s: %s: is no store of indexes%n".formatted(command, index())),
        run(command, words.toArray(String[]::new)));
  }

  // ---------------------------------------------------------------- inspect and verify

  @Test
  void inspectShowsHeaderAndLevels() throws IOException {
    load(lines(20_000), "--page-size", "4K", "--variant", "DiskOptimizedBPlusTree");
    Path file = folder.resolve("inspected.json");
    CommandRun run = run("inspect", "--json", file.toString());
    assertEquals("", run.err());
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals("DiskOptimizedBPlusTree", json.get("tree").getAsString());
    assertEquals("int64:int64", json.get("codecs").getAsString());
    assertEquals(2, json.get("version").getAsInt());
    assertEquals(20_000, json.get("entries").getAsLong());
    assertEquals(PAGE, json.get("pageBytes").getAsInt());
    assertEquals(0, json.get("freePages").getAsInt());
    assertTrue(json.get("clean").getAsBoolean());
    assertEquals(Files.size(index()), json.get("bytes").getAsLong());
    assertEquals(Files.size(index()) / 20_000.0, json.get("bytesPerEntry").getAsDouble(), 1e-9);

    JsonArray levels = json.getAsJsonArray("levels");
    assertEquals(json.get("height").getAsInt(), levels.size());
    long pages = 0;
    for (int i = 0; i < levels.size(); i++) {
      JsonObject level = levels.get(i).getAsJsonObject();
      assertEquals(levels.size() - 1 - i, level.get("level").getAsInt());
      assertEquals(level.get("nodes").getAsLong() * PAGE, level.get("bytes").getAsLong());
      pages += level.get("nodes").getAsLong();
    }
    assertEquals(json.get("pages").getAsLong(), pages);
    JsonObject leaves = levels.get(levels.size() - 1).getAsJsonObject();
    assertEquals(20_000, leaves.get("keys").getAsLong());
    assertTrue(leaves.get("fill").getAsDouble() > 0.9);
    assertTrue(run.out().lines().anyMatch(line -> line.equals("Clean    yes")), run.out());
    assertTrue(
        run.out().lines().anyMatch(line -> line.matches(" +0 +[0-9,]+ +[0-9,]+ +20,000 +[01].*")),
        run.out());
  }

  @Test
  void soundFileIsCalledSound() throws IOException {
    load(lines(5_000), "--page-size", "4K");
    CommandRun run = run("verify");
    assertTrue(
        run.out().matches("\\Q" + index() + "\\E: sound, [0-9]+ pages, 5,000 entries\\R"),
        run.out());
    assertEquals("", run.err());
    assertEquals(0, run.status());
  }

  @Test
  void everyDamagedPageIsNamed() throws IOException {
    load(lines(20_000), "--page-size", "4K");
    damage(18);
    damage(21);
    CommandRun run = run("verify");
    assertEquals("espalier verify: %s: not sound%n".formatted(index()), run.err());
    assertEquals(1, run.status());
    List<String> lines = run.out().lines().toList();
    String page = "\\Q" + index() + "\\E: page [0-9]+ of index 'index', in slot %d, is damaged.*";
    assertEquals(3, lines.size(), run.out());
    assertTrue(
        lines.subList(0, 2).stream().anyMatch(l -> l.matches(page.formatted(18))), run.out());
    assertTrue(
        lines.subList(0, 2).stream().anyMatch(l -> l.matches(page.formatted(21))), run.out());
    assertEquals(index() + ": the tree was not checked, because pages are damaged", lines.get(2));

    CommandRun dump = run("dump");
    assertEquals(1, dump.status());
    assertTrue(dump.err().startsWith("espalier dump: " + index() + ": page "), dump.err());
    assertEquals(1, dump.err().lines().count(), dump.err());
  }

  /** Changes a byte in the middle of a slot, where a page of the tree lies. */
  private void damage(int slot) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(index().toFile(), "rw")) {
      long at = slot * (long) PAGE + PAGE / 2;
      file.seek(at);
      int old = file.read();
      file.seek(at);
      file.write(old ^ 1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DiskOptimizedBPlusTree",
        "DiskFirstFpbPlusTree",
        "MicroIndexBPlusTree",
        "CacheFirstFpbPlusTree",
        "BEpsilonTree",
        "Cola"
      })
  void dumpSkipsDamagedPagesAndListsTheKeysThatAreMissing(String variant) throws IOException {
    load(lines(20_000), "--page-size", "4K", "--variant", variant);
    damage(8);
    damage(9);
    damage(21);
    CommandRun refused = run("dump");
    assertEquals(1, refused.status());
    assertTrue(
        refused.err().endsWith("; --last-checkpoint skips what is damaged%n".formatted()),
        refused.err());

    CommandRun run = run("dump", "--last-checkpoint");
    assertEquals(1, run.status());
    Set<String> expected = new TreeSet<>(lines(20_000).lines().toList());
    Matcher missing =
        Pattern.compile("espalier dump: keys (-?\\d+) to (-?\\d+) are missing: .* page .*\\R")
            .matcher(run.err());
    int ranges = 0;
    while (missing.find()) {
      ranges++;
      long last = Math.min(Long.parseLong(missing.group(2)), 20_000);
      for (long key = Math.max(Long.parseLong(missing.group(1)), 1); key <= last; key++) {
        assertTrue(expected.remove(key + "," + -key), "missing twice: " + key);
      }
    }
    assertEquals(run.err().lines().count(), ranges, run.err());
    assertTrue(ranges >= 1, run.err());
    assertEquals(expected, new TreeSet<>(run.out().lines().toList()));
    if (!variant.equals("Cola")) {
      assertTrue(expected.size() > 18_000, () -> expected.size() + " are left: " + run.err());
    }
  }

  @Test
  void dumpOfASoundFileIsCompleteEvenIfAskedForWhatIsLeft() throws IOException {
    load(lines(20_000), "--page-size", "4K");
    assertEquals(new CommandRun(0, lines(20_000), ""), run("dump", "--last-checkpoint"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"DiskFirstFpbPlusTree", "BEpsilonTree", "Cola"})
  void dumpOfAnUncleanFileFailsAndSaysWhatItFound(String variant) throws IOException {
    load(lines(2_000), "--page-size", "4K", "--variant", variant);
    leaveUnclean();
    CommandRun run = run("dump", "--last-checkpoint");
    assertEquals(1, run.status());
    assertEquals(
        "espalier dump: %s was not closed; found %,d entries, without the last writes"
            .formatted(index(), run.out().lines().count()),
        run.err().lines().toList().getLast());
  }

  @Test
  void fileThatWasNotClosedIsReadAsOfItsLastCheckpointOrRecovered() throws IOException {
    load(lines(2_000), "--page-size", "4K");
    leaveUnclean();
    for (String command : List.of("dump", "get 1", "scan 1 2")) {
      List<String> words = new ArrayList<>(List.of(command.split(" ")));
      CommandRun refused = run(words.removeFirst(), words.toArray(String[]::new));
      assertEquals(
          new CommandRun(
              1,
              "",
              ("espalier %s: %s: the file was not closed; 'espalier recover' recovers all writes,"
                      + " and --last-checkpoint reads the file without the last ones%n")
                  .formatted(command.split(" ")[0], index())),
          refused);
    }
    assertEquals(new CommandRun(0, "1,-1\n", ""), run("get", "1", "--last-checkpoint"));
    CommandRun verified = run("verify");
    assertEquals(0, verified.status(), verified.err());
    assertEquals(
        index() + ": the file was not closed; this is its last checkpoint",
        verified.out().lines().findFirst().orElseThrow());
    CommandRun inspected = run("inspect");
    assertEquals(0, inspected.status());
    assertTrue(inspected.out().contains("Clean    no: "), inspected.out());
    assertFalse(inspected.out().contains("level"), inspected.out());
    assertTrue(run("inspect", "--last-checkpoint").out().contains("level"));

    CommandRun recovered = run("recover");
    assertEquals(0, recovered.status(), recovered.err());
    assertTrue(
        recovered.out().startsWith(index() + ": recovered 2,000 writes in "), recovered.out());
    assertEquals(new CommandRun(0, "1,0\n", ""), run("get", "1"));
    assertEquals(
        new CommandRun(
            0, "%s: the file was closed; there is nothing to recover%n".formatted(index()), ""),
        run("recover"));
  }

  @Test
  void appendRecoversAFileThatWasNotClosed() throws IOException {
    load(lines(2_000), "--page-size", "4K");
    leaveUnclean();
    load("3000,1\n", "--append");
    assertEquals(new CommandRun(0, "1,0\n3000,1\n", ""), run("get", "1", "3000"));
  }

  /** Copies the file and its log while it is being changed, and puts the copies in their place. */
  private void leaveUnclean() throws IOException {
    Path copies = Files.createDirectory(folder.resolve("copies"));
    List<Path> files;
    try (LongIndex index =
        dev.espalier.io.Espalier.open(
            index(), FileOptions.DEFAULT.withFlags(FileOption.MUST_EXIST))) {
      for (long key = 1; key <= 2_000; key++) {
        index.put(key, 0);
      }
      index.flush();
      files = IndexStore.files(index());
      for (Path file : files) {
        Files.copy(file, copies.resolve(file.getFileName()));
      }
    }
    Files.delete(index());
    for (Path file : files) {
      Files.move(copies.resolve(file.getFileName()), file);
    }
  }

  // ---------------------------------------------------------------- several indexes

  private void makeTwoIndexes() {
    try (IndexStore store = IndexStore.open(index())) {
      store.index("a").put(1, 10);
      store.index("b").put(2, 20);
      store.index("b").put(3, 30);
    }
  }

  @Test
  void commandsWorkOnTheIndexThatIsNamed() throws IOException {
    makeTwoIndexes();
    assertEquals(new CommandRun(0, "1,10\n", ""), run("dump", "--index", "a"));
    assertEquals(new CommandRun(0, "2,20\n3,30\n", ""), run("dump", "--index", "b"));
    assertEquals(new CommandRun(0, "3,30\n", ""), run("get", "3", "--index", "b"));
    assertEquals(new CommandRun(0, "2,20\n", ""), run("scan", "1", "2", "--index", "b"));
    assertTrue(run("inspect", "--index", "b").out().contains("Entries  2"));
    assertTrue(run("verify", "--index", "b").out().contains("2 entries"));
    CommandRun appended = run("load", csv("4,40\n").toString(), "--append", "--index", "a");
    assertEquals(0, appended.status(), appended.err());
    assertEquals("1,10\n4,40\n", run("dump", "--index", "a", "--last-checkpoint").out());
    assertEquals("2,20\n3,30\n", run("dump", "--index", "b").out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"get 1", "scan 1 2", "dump", "verify"})
  void fileWithSeveralIndexesAsksForAName(String command) {
    makeTwoIndexes();
    String[] words = command.split(" ");
    String[] rest = Arrays.copyOfRange(words, 1, words.length);
    assertEquals(
        new CommandRun(
            1,
            "",
            "espalier %s: %s: holds several indexes; name one with --index: a, b%n"
                .formatted(words[0], index())),
        run(words[0], rest));
  }

  @Test
  void inspectListsSeveralIndexes() throws IOException {
    makeTwoIndexes();
    Path json = folder.resolve("inspect.json");
    CommandRun run = run("inspect", "--json", json.toString());
    assertEquals(0, run.status(), run.err());
    assertTrue(run.out().matches("(?s).*\\Ra +DiskFirstFpbPlusTree +1 .*"), run.out());
    assertTrue(run.out().matches("(?s).*\\Rb +DiskFirstFpbPlusTree +2 .*"), run.out());
    JsonObject object = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    JsonArray indexes = object.getAsJsonArray("indexes");
    assertEquals(2, indexes.size());
    assertEquals("b", indexes.get(1).getAsJsonObject().get("name").getAsString());
    assertEquals(2, indexes.get(1).getAsJsonObject().get("entries").getAsLong());
  }

  @Test
  void indexThatIsNotThereIsNamedWithThoseThatAre() {
    makeTwoIndexes();
    assertEquals(
        new CommandRun(
            1, "", "espalier dump: %s: holds no index 'c'; it has: a, b%n".formatted(index())),
        run("dump", "--index", "c"));
  }

  // ---------------------------------------------------------------- backup

  @Test
  void backupHasAllIndexesAndIsClosed() throws IOException {
    try (IndexStore store = IndexStore.open(index())) {
      store.index("a").put(1, 10);
      store.index("b").put(2, 20);
      store.commit(new byte[] {7});
    }
    Path copy = folder.resolve("copy.esp");
    CommandRun run = run("backup", copy.toString());
    assertEquals(
        new CommandRun(
            0, "%s: copied to %s, %,d bytes%n".formatted(index(), copy, Files.size(copy)), ""),
        run);
    try (IndexStore store = IndexStore.open(copy)) {
      assertTrue(store.recovery().wasClean());
      assertEquals(List.of("a", "b"), store.names());
      assertEquals(10, store.index("a").get(1));
      assertEquals(20, store.index("b").get(2));
      assertEquals(7, store.note()[0]);
    }
  }

  @Test
  void backupOverwritesNothing() throws IOException {
    load("1,10\n");
    Path there = Files.writeString(folder.resolve("there"), "mine");
    assertEquals(
        new CommandRun(1, "", "espalier backup: %s: the file exists already%n".formatted(there)),
        run("backup", there.toString()));
    assertEquals("mine", Files.readString(there));
  }

  @Test
  void backupOfADamagedFileLeavesNothing() throws IOException {
    load(lines(20_000), "--page-size", "4K");
    try (RandomAccessFile file = new RandomAccessFile(index().toFile(), "rw")) {
      for (long at = 20 * PAGE; at < file.length(); at += PAGE) {
        file.seek(at + 100);
        file.write(0x55);
      }
    }
    Path copy = folder.resolve("copy.esp");
    CommandRun run = run("backup", copy.toString());
    assertEquals(1, run.status());
    assertTrue(run.err().startsWith("espalier backup: " + index()), run.err());
    assertFalse(Files.exists(copy));
  }
}
