// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands over index files whose keys and values are byte strings. */
final class ByteStringCommandsTest extends IndexFileCommands {
  private static final String TOWNS =
      "Bern,134\nBasel,178\nZürich,443\nGenève,\"203,8\"\nBasra,9\n";

  private CommandRun loadText(String lines, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("--keys", "text"));
    arguments.addAll(List.of(options));
    return load(lines, arguments.toArray(String[]::new));
  }

  /** Entries key00001 to key{@code count}, with the negative numbers as values. */
  private static List<String> textLines(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "key%05d,%d".formatted(i, -i)).toList();
  }

  private static String joined(List<String> lines) {
    return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
  }

  // ---------------------------------------------------------------- load and dump

  @Test
  void dumpOfALoadedFileIsTheSortedInput() throws IOException {
    List<String> sorted = textLines(20_000);
    List<String> shuffled = new ArrayList<>(sorted);
    Collections.shuffle(shuffled, new Random(1));
    CommandRun run = loadText(joined(shuffled), "--page-size", "4K", "--pool", "64K");
    assertTrue(run.out().contains(": PrefixBPlusTree, 20,000 entries, "), run.out());
    assertEquals(new CommandRun(0, joined(sorted), ""), run("dump"));
    assertEquals(0, run("verify").status());
  }

  @Test
  void fieldsWithCommasQuotesAndLineBreaksAreQuoted() throws IOException {
    String lines = "\"a \"\"b\"\"\",\"1\n2\"\n\"c,d\",\n\"\n\",x\n";
    loadText(lines);
    try (IndexStore store = IndexStore.open(index())) {
      BytesIndex index = store.bytesIndex("index");
      assertEquals(3, index.size());
      assertArrayEquals("1\n2".getBytes(StandardCharsets.UTF_8), get(index, "a \"b\""));
      assertArrayEquals(new byte[0], get(index, "c,d"));
      assertArrayEquals(new byte[] {'x'}, get(index, "\n"));
    }
    assertEquals("\"\n\",x\n\"a \"\"b\"\"\",\"1\n2\"\n\"c,d\",\n", run("dump").out());
  }

  private static byte[] get(BytesIndex index, String key) {
    return index.get(key.getBytes(StandardCharsets.UTF_8));
  }

  /** Whatever the bytes are, what is dumped can be loaded, and is the same then. */
  @ParameterizedTest
  @ValueSource(strings = {"text", "hex"})
  void randomEntriesSurviveDumpAndLoad(String form) throws IOException {
    Random random = new Random(form.length());
    TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    String letters = ",\"\n\r a#é\u0000\uD83D\uDE00'\\";
    try (IndexStore store = IndexStore.open(index())) {
      BytesIndex index = store.bytesIndex("index");
      for (int i = 0; i < 2_000; i++) {
        byte[] key = new byte[random.nextInt(6)];
        byte[] value = new byte[random.nextInt(2_000)];
        random.nextBytes(key);
        random.nextBytes(value);
        if (form.equals("text")) {
          key = randomText(random, letters, 5);
          value = randomText(random, letters, 9);
        }
        index.set(key, value);
        expected.put(key, value);
      }
    }
    CommandRun dump = run("dump", "--keys", form);
    assertEquals("", dump.err());
    Path copy = folder.resolve("copy.esp");
    InputStream standardInput = System.in;
    System.setIn(new ByteArrayInputStream(dump.out().getBytes(StandardCharsets.UTF_8)));
    try {
      CommandRun loaded = CommandRun.of("load", copy.toString(), "-", "--keys", form);
      assertEquals("", loaded.err());
    } finally {
      System.setIn(standardInput);
    }
    try (IndexStore store = IndexStore.open(copy)) {
      BytesIndex index = store.bytesIndex("index");
      assertEquals(expected.size(), index.size());
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertArrayEquals(entry.getValue(), index.get(entry.getKey()));
      }
    }
  }

  private static byte[] randomText(Random random, String letters, int most) {
    int[] codePoints = letters.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(most); i > 0; i--) {
      text.appendCodePoint(codePoints[random.nextInt(codePoints.length)]);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void headerByteOrderMarkAndEmptyLinesAreSkipped() throws IOException {
    CommandRun run = loadText("\uFEFFname,\"in 1,000\"\r\n\r\nBern,134\r\n\n", "--header");
    assertEquals(
        "Skipped the header 'name,in 1,000'.", run.out().lines().findFirst().orElseThrow());
    assertEquals("Bern,134\n", run("dump").out());
  }

  @Test
  void firstLineIsAnEntryUnlessItIsCalledAHeader() throws IOException {
    loadText("\uFEFFname,value\n");
    assertEquals("name,value\n", run("dump").out());
  }

  @Test
  void lastLineOfAKeyCountsAndTheOthersAreReported() throws IOException {
    CommandRun run = loadText("a,1\nb,2\na,3\n");
    assertEquals(
        "Left out 1 lines, because a later line has the same key.",
        run.out().lines().findFirst().orElseThrow());
    assertEquals("a,3\nb,2\n", run("dump").out());
  }

  @Test
  void emptyInputMakesAnEmptyIndex() throws IOException {
    loadText("\n");
    assertEquals(new CommandRun(0, "", ""), run("dump"));
    assertEquals(0, run("verify").status());
    assertEquals(0, run("inspect").status());
  }

  @Test
  void hexadecimalKeysAndTextValues() throws IOException {
    load("00ff,one\n0xABCD,two\n,none\n", "--keys", "hex", "--values", "text");
    assertEquals(
        "\"\",none\n00ff,one\nabcd,two\n", run("dump", "--keys", "hex", "--values", "text").out());
    assertEquals("00ff,6f6e65\n", run("get", "--keys", "hex", "00FF").out());
    assertEquals(
        new CommandRun(
            1, "", "espalier dump: key 0x00ff is not UTF-8; --keys hex prints it%n".formatted()),
        run("dump"));
    load("a,ff\n", "--append", "--keys", "text", "--values", "hex");
    assertEquals(
        new CommandRun(
            1,
            "",
            "espalier get: the value of key 'a' is not UTF-8; --values hex prints it%n"
                .formatted()),
        run("get", "a"));
    assertEquals("a,ff\n", run("get", "a", "--values", "hex").out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          text | a        | 1 fields; key,value are two, and a comma within one of them needs quotes
          text | a,b,c    | 3 fields; key,value are two, and a comma within one of them needs quotes
          hex  | 0g,00    | '0g' is not hexadecimal, two digits for each byte
          hex  | 00,000   | '000' is not hexadecimal, two digits for each byte
          """)
  void wrongLineIsNamedAndNothingIsMade(String form, String line, String message)
      throws IOException {
    for (String before : List.of("", form.equals("hex") ? "00,11\n\n\n" : "00,\"\n\"\n\n")) {
      Path input = csv(before + line + "\n");
      CommandRun run = run("load", input.toString(), "--keys", form);
      String shown =
          "espalier load: %s, line %d: %s".formatted(input, before.isEmpty() ? 1 : 4, message);
      assertEquals(new CommandRun(1, "", shown + System.lineSeparator()), run);
      assertFalse(Files.exists(index()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,\"b\"c\n", "a,\"b\nc,d\n"})
  void wrongQuotesAreExplainedAndNothingIsMade(String line) throws IOException {
    Path input = csv("1,2\n" + line);
    CommandRun run = run("load", input.toString(), "--keys", "text");
    assertTrue(run.err().startsWith("espalier load: " + input + ": wrong quotes: "), run.err());
    assertTrue(run.err().contains("line"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals(1, run.status());
    assertFalse(Files.exists(index()));
  }

  /**
   * Runs {@code load} in a JVM whose heap is so small that a record has at most 2 Mi characters.
   */
  private CommandRun loadInSmallHeap(Path input) throws IOException, InterruptedException {
    String[] arguments = {"load", index().toString(), input.toString(), "--keys", "text"};
    List<String> command = ChildProcess.command(List.of("-Xmx32m"), arguments);
    return ChildProcess.start(folder, command).await();
  }

  @Test
  void quoteThatIsNotClosedIsRefusedBeforeItFillsTheHeap()
      throws IOException, InterruptedException {
    Path input = csv("a,\"\n\"\nb,\"" + "an endless value\n".repeat(2_000_000));
    CommandRun run = loadInSmallHeap(input);
    assertTrue(
        run.err()
            .startsWith(
                "espalier load: " + input + ", line 3: the record from here on has more than "),
        run.err());
    assertTrue(run.err().contains(" characters"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals(1, run.status());
    assertFalse(Files.exists(index()));
  }

  @Test
  @Tag("thorough")
  void recordAsLongAsTheHeapAllowsIsLoaded() throws IOException, InterruptedException {
    String value = "\u4e2d".repeat(1_900_000); // Two bytes each in the heap, and three in UTF-8.
    CommandRun run = loadInSmallHeap(csv("a," + value + "\nb,\"" + value + "\"\n"));
    assertEquals(0, run.status(), run.err());
    assertEquals("b," + value + "\n", run("get", "b").out());
  }

  /** Whatever lines there are: they are loaded and come back, or a line says why they are not. */
  @Tag("thorough")
  @Test
  void anyLinesAreLoadedOrExplained() throws IOException {
    Random random = new Random(3);
    int loaded = 0;
    int refused = 0;
    for (int i = 0; i < 150; i++) {
      Path input =
          csv(
              random
                  .ints(random.nextInt(24), 0, 7)
                  .mapToObj(letter -> ",\"\n\rab ".substring(letter, letter + 1))
                  .collect(Collectors.joining()));
      CommandRun run = run("load", input.toString(), "--keys", "text");
      if (run.status() == 0) {
        loaded++;
        CommandRun dump = run("dump", "--keys", "text");
        assertEquals("", dump.err());
        Files.delete(index());
        Path again = csv(dump.out());
        assertEquals(0, run("load", again.toString(), "--keys", "text").status());
        assertEquals(dump, run("dump", "--keys", "text"));
        Files.delete(index());
      } else {
        refused++;
        assertEquals(1, run.status());
        assertTrue(run.err().startsWith("espalier load: " + input), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        assertFalse(Files.exists(index()));
      }
    }
    assertTrue(loaded > 5 && refused > 50, loaded + " loaded, " + refused + " refused");
  }

  @Test
  void bytesThatAreNoTextAreRefused() throws IOException {
    Path input = folder.resolve("latin1.csv");
    Files.write(input, "Zürich,1\n".getBytes(StandardCharsets.ISO_8859_1));
    CommandRun run = run("load", input.toString(), "--keys", "text");
    assertEquals(
        new CommandRun(
            1,
            "",
            "espalier load: %s: is not UTF-8; bytes that are no text can be loaded in hexadecimal%n"
                .formatted(input)),
        run);
    assertFalse(Files.exists(index()));
  }

  @Test
  void keyThatIsTooLongIsNamed() throws IOException {
    Path input = csv("a,1\n" + "b".repeat(BytesIndex.MAX_KEY + 1) + ",2\n");
    CommandRun run = run("load", input.toString(), "--keys", "text");
    assertEquals(
        "espalier load: %s, line 2: the key has 65536 bytes; at most 65535 are possible%n"
            .formatted(input),
        run.err());
  }

  // ---------------------------------------------------------------- append and several indexes

  @Test
  @Tag("thorough")
  void appendPutsIntoTheIndexThatIsThere() throws IOException {
    loadText(TOWNS);
    CommandRun run = load("Bern,135\nUster,35\n", "--append");
    assertEquals(
        "Added 1 entries, and replaced the values of 1.",
        run.out().lines().findFirst().orElseThrow());
    assertEquals("Bern,135\n", run("get", "Bern").out());
    load(joined(textLines(20_000)), "--append", "--pool", "64K");
    assertEquals(20_006, run("dump").out().lines().count());
    assertEquals(0, run("verify").status());
  }

  @Test
  void formsThatAreNotThoseOfTheIndexAreRefused() throws IOException {
    Path input = csv("1,1\n");
    assertEquals(0, run("load", input.toString()).status());
    String refused = "espalier %s: %s: index '%s' has %s%n";
    String longs = "longs; --keys and --values are for byte strings";
    for (String command : List.of("dump", "scan", "get")) {
      CommandRun run =
          command.equals("get")
              ? run(command, "1", "--keys", "text")
              : run(command, "--values", "hex");
      assertEquals(new CommandRun(1, "", refused.formatted(command, index(), "index", longs)), run);
    }
    assertEquals(
        refused.formatted("load", index(), "index", longs),
        run("load", input.toString(), "--append", "--keys", "text").err());
    assertEquals(0, run("load", input.toString(), "--index", "words", "--keys", "text").status());
    String strings = "byte strings; --keys text or --keys hex is for them";
    assertEquals(
        refused.formatted("dump", index(), "words", strings),
        run("dump", "--index", "words", "--keys", "int64").err());
    assertEquals("1,1\n", run("dump", "--index", "words").out());
    assertEquals("1,1\n", run("dump", "--index", "index", "--keys", "int64").out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          load %s --keys text --tpch 1              | --tpch has keys that are longs
          load %s - --keys text --variant Cola      | --variant is for longs: byte strings live in a PrefixBPlusTree
          load %s - --header                        | --header is for byte strings: of numbers, a header is skipped anyway
          load %s - --keys int64 --values hex       | --keys is int64 and --values is hex: both are int64, or neither
          scan %s a --prefix b                      | give --prefix or FROM, not both
          """)
  void argumentsThatDoNotGoTogetherAreExplained(String line, String message) {
    String[] words = line.formatted(index()).split(" ");
    CommandRun run = CommandRun.of(words);
    assertEquals(2, run.status(), run.err());
    assertTrue(
        run.err().startsWith("espalier %s: %s (see ".formatted(words[0], message)), run.err());
    assertFalse(Files.exists(index()));
  }

  // ---------------------------------------------------------------- get and scan

  @Test
  void getPrintsWhatIsThereAndNamesWhatIsMissing() throws IOException {
    loadText(TOWNS + "-x,1\n");
    assertEquals(
        new CommandRun(
            1,
            "Genève,\"203,8\"\nBern,134\n-x,1\n",
            "espalier get: no entry with key Genf%n".formatted()),
        run("get", "Genève", "Genf", "Bern", "-x"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --prefix Bas                       | Basel Basra
          --prefix Bas --descending          | Basra Basel
          --prefix Bas --descending --limit 1 | Basra
          --prefix X                         | ''
          Basel Bern                         | Basel Basra Bern
          Basel Bernau --descending          | Bern Basra Basel
          Bern                               | Bern Genève Zürich
          --limit 2                          | Basel Basra
          --limit 0                          | ''
          --descending --limit 2             | Zürich Genève
          """)
  void scanPrintsTheRange(String arguments, String expected) throws IOException {
    loadText(TOWNS);
    CommandRun run = run("scan", arguments.split(" "));
    assertEquals("", run.err());
    assertEquals(0, run.status());
    assertEquals(
        expected,
        run.out().lines().map(line -> line.split(",")[0]).collect(Collectors.joining(" ")));
  }

  @Test
  void rangeThatIsEmptyByMistakeIsExplained() throws IOException {
    loadText(TOWNS);
    CommandRun run = run("scan", "b", "a");
    assertEquals(
        "espalier scan: FROM is 'b', which comes after TO, 'a' (see espalier scan --help)%n"
            .formatted(),
        run.err());
    assertEquals(2, run.status());
    CommandRun digits = run("scan", "xy", "--keys", "hex");
    assertTrue(
        digits.err().startsWith("espalier scan: FROM: 'xy' is not hexadecimal"), digits.err());
    assertEquals(2, digits.status());
  }

  @Test
  void rangesOfLongsMayBeOpenToo() throws IOException {
    load(lines(9));
    assertEquals("8,-8\n9,-9\n", run("scan", "8").out());
    assertEquals("9,-9\n", run("scan", "--descending", "--limit", "1").out());
    CommandRun refused = run("scan", "--prefix", "1");
    assertEquals(2, refused.status());
    assertTrue(refused.err().contains("--prefix is for byte strings"), refused.err());
  }

  @Test
  void linesOfJsonCanBeReadBack() throws IOException {
    loadText("\"a\"\"\\\n\u0001é\",\"1,2\"\n");
    CommandRun run = run("dump", "--json-lines");
    assertEquals(1, run.out().lines().count(), run.out());
    JsonObject entry = JsonParser.parseString(run.out()).getAsJsonObject();
    assertEquals("a\"\\\n\u0001é", entry.get("key").getAsString());
    assertEquals("1,2", entry.get("value").getAsString());
    assertEquals(
        "{\"keyHex\":\"61225c0a01c3a9\",\"value\":\"1,2\"}\n",
        run("scan", "--json-lines", "--keys", "hex", "--values", "text").out());
  }

  @Test
  void linesOfJsonOfLongs() throws IOException {
    load("-5,50\n7," + Long.MIN_VALUE + "\n");
    String expected = "{\"key\":-5,\"value\":50}\n{\"key\":7,\"value\":-9223372036854775808}\n";
    assertEquals(expected, run("dump", "--json-lines").out());
    assertEquals(expected, run("scan", "--json-lines", "-9").out());
    assertEquals(expected, run("get", "--json-lines", "-5", "7").out());
  }

  // ---------------------------------------------------------------- inspect, damage

  @Test
  void inspectCountsThePagesOfEveryLevel() throws IOException {
    loadText(joined(textLines(20_000)), "--page-size", "4K");
    Path file = folder.resolve("inspected.json");
    CommandRun run = run("inspect", "--json", file.toString());
    assertEquals("", run.err());
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals("PrefixBPlusTree", json.get("tree").getAsString());
    JsonObject leaves = json.getAsJsonArray("levels").asList().getLast().getAsJsonObject();
    assertEquals(20_000, leaves.get("keys").getAsLong());
    double fill = leaves.get("fill").getAsDouble();
    assertTrue(fill > 0.5 && fill <= 1, "fill is " + fill);
  }

  @Test
  @Tag("thorough")
  void damagedPageEndsTheDumpAndSalvageWritesTheRestAsText() throws IOException {
    FileOptions pages = FileOptions.DEFAULT.withPageBytes(PAGE);
    try (IndexStore store = IndexStore.open(index(), StoreOptions.DEFAULT.withFiles(pages))) {
      BytesIndex index = store.bytesIndex("words");
      for (int i = 0; i < 20_000; i++) {
        index.set("key%05d".formatted(i).getBytes(StandardCharsets.UTF_8), new byte[] {',', 0});
      }
    }
    try (RandomAccessFile file = new RandomAccessFile(index().toFile(), "rw")) {
      file.seek(30 * (long) PAGE + PAGE / 2);
      file.write(HexFormat.of().parseHex("010203"));
    }
    CommandRun dump = run("dump");
    assertEquals(1, dump.status());
    assertTrue(
        dump.err().matches("espalier dump: [^;]* \\(Salvage saves what can be read\\)\\R"),
        dump.err());
    assertEquals(1, run("verify").status());
    Path saved = folder.resolve("saved.csv");
    CommandRun salvage = run("salvage", saved.toString(), "--values", "hex", "--keys", "text");
    assertEquals(1, salvage.status(), salvage.err());
    assertEquals("", salvage.err());
    List<String> lines = Files.readAllLines(saved);
    assertTrue(lines.size() > 19_000 && lines.size() < 20_000, lines.size() + " lines");
    assertTrue(lines.stream().allMatch(line -> line.matches("key\\d{5},2c00")));
    CommandRun lastCheckpoint = run("dump", "--last-checkpoint");
    assertEquals(1, lastCheckpoint.status());
    assertTrue(lastCheckpoint.err().contains(" is damaged"), lastCheckpoint.err());
  }
}
