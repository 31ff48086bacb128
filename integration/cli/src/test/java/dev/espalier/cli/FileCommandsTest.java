// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.io.Access;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that fill and read index files: what they print, and with which status they end. */
final class FileCommandsTest extends IndexFileCommands {
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
                    + "\\E: FpbLinkTree, 20,000 entries, [0-9]+ pages of 4,096"
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
  void inputThatIsNoPathIsExplained() {
    CommandRun run = run("load", "a\0b");
    assertEquals(1, run.status());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().startsWith("espalier load: INPUT can't be the name of a file"), run.err());
  }

  @Test
  void lineWithoutAnEndIsExplained() {
    InputStream standardInput = System.in;
    System.setIn(
        new InputStream() {
          private int left = 64 << 20;

          @Override
          public int read() throws IOException {
            if (left-- == 0) {
              throw new IOException("nobody reads so much of a line");
            }
            return '7';
          }
        });
    try {
      assertEquals(
          new CommandRun(
              1,
              "",
              "espalier load: standard input, line 1: is not key,value: it has more than 1048576"
                  + " characters%n".formatted()),
          run("load", "-"));
    } finally {
      System.setIn(standardInput);
    }
  }

  /** Notes which names are forced, and whether the file has its name by then. */
  private static final class ForcedNames implements PageFileOpener {
    private final Path file;
    final List<String> forced = new ArrayList<>();

    ForcedNames(Path file) {
      this.file = file;
    }

    @Override
    public PageFile open(Path path, Access access, int blockBytes) {
      return PageFiles.CACHED.open(path, access, blockBytes);
    }

    @Override
    public void forceNames(Path path) {
      PageFiles.CACHED.forceNames(path);
      if (!path.getFileName().toString().contains(".part")) {
        forced.add(path.getFileName() + (Files.exists(file) ? " with" : " before"));
      }
    }
  }

  /** A crash of the machine leaves all of it, or none. */
  @Test
  void namesOfANewFileAreForced() throws IOException {
    Path stripe = Files.createDirectory(folder.resolve("other")).resolve("stripe.esp");
    ForcedNames names = new ForcedNames(index());
    IndexFiles.make(
        index(),
        FileOptions.DEFAULT.withStripes(stripe).withEngine(names),
        "index",
        LongInput.ofTable(new long[] {1, 2, 3}),
        1,
        ProgressListener.NONE);
    assertEquals(List.of("stripe.esp before", "index.esp with"), names.forced);
    assertEquals("1,0\n2,1\n3,2\n", run("dump", "--stripe", stripe.toString()).out());
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
                "index",
                LongInput.ofTable(notAscending),
                1.0,
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
    assertTrue(other.err().contains(" is a FpbLinkTree"), other.err());
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
          get -5 5x   | KEY is '5x'; it must be a decimal number from -2^63 to 2^63-1
          scan 1 b    | TO is 'b'; it must be a decimal number from -2^63 to 2^63-1
          scan 1 -1   | FROM is 1, which is larger than TO, -1
          """)
  void wrongKeyIsExplainedAndNothingIsPrinted(String line, String explanation) throws IOException {
    load("-5,50\n");
    String[] words = line.split(" ");
    CommandRun run = run(words[0], words[1], words[2]);
    String expected = "espalier %s: %s (see espalier %1$s --help)%n";
    assertEquals(new CommandRun(2, "", expected.formatted(words[0], explanation)), run);
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
}
