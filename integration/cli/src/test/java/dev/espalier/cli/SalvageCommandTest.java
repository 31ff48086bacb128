// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The command that saves what can be read of a damaged file. */
final class SalvageCommandTest extends IndexFileCommands {
  private Path saved(String suffix) {
    return folder.resolve("saved" + suffix);
  }

  private void damage(int slot) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(index().toFile(), "rw")) {
      file.seek(slot * (long) PAGE + PAGE / 2);
      file.write(new byte[] {1, 2, 3});
    }
  }

  @Test
  void ofASoundFileAllIsSaved() throws IOException {
    load(lines(20_000), "--page-size", "4K");
    CommandRun run = run("salvage", saved(".esp").toString());
    assertEquals(
        new CommandRun(
            0,
            "index 'index', FpbLinkTree: 20,000 entries saved%n%s: all was saved to %s%n"
                .formatted(index(), saved(".esp")),
            ""),
        run);
    assertEquals(lines(20_000), CommandRun.of("dump", saved(".esp").toString()).out());
  }

  @Test
  void keysThatAreLostAreListedAndAllOthersAreSavedAsText() throws IOException {
    load(lines(20_000), "--page-size", "4K");
    damage(8);
    damage(30);
    Path json = folder.resolve("lost.json");
    CommandRun run = run("salvage", saved(".csv").toString(), "--json", json.toString());
    assertEquals(1, run.status(), run.err());
    Set<String> expected = new TreeSet<>(lines(20_000).lines().toList());
    Matcher lost = Pattern.compile("  keys (-?\\d+) to (-?\\d+) are lost: .*").matcher(run.out());
    int ranges = 0;
    while (lost.find()) {
      ranges++;
      long last = Math.min(Long.parseLong(lost.group(2)), 20_000);
      for (long key = Math.max(Long.parseLong(lost.group(1)), 1); key <= last; key++) {
        assertTrue(expected.remove(key + "," + -key), "missing twice: " + key);
      }
    }
    assertEquals(expected, new TreeSet<>(Files.readAllLines(saved(".csv"))));
    assertTrue(expected.size() > 18_000 && expected.size() < 20_000, run.out());
    JsonObject report = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertFalse(report.get("complete").getAsBoolean());
    assertEquals(
        ranges,
        report.getAsJsonArray("indexes").get(0).getAsJsonObject().getAsJsonArray("ranges").size());
    assertFalse(Files.exists(saved(".csv.store")));
  }

  @Test
  void numbersAreInTheDigitsOfTheInputWhateverTheLocale() throws IOException {
    load(lines(20_000), "--page-size", "4K");
    damage(8);
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertEquals("\u0661", "%d".formatted(1)); // It has digits of its own.
      CommandRun saved = run("salvage", saved(".esp").toString());
      assertTrue(
          Pattern.compile("  keys -?[0-9]+ to -?[0-9]+ are lost").matcher(saved.out()).find(),
          saved.out());
      CommandRun dumped = run("dump", "--last-checkpoint");
      assertTrue(
          Pattern.compile("keys -?[0-9]+ to -?[0-9]+ are missing").matcher(dumped.err()).find(),
          dumped.err());
      Path wrong = csv("1,1\nx1\n");
      CommandRun loaded = CommandRun.of("load", folder.resolve("new").toString(), wrong.toString());
      assertTrue(loaded.err().contains(wrong + ", line 2: 'x1' is not"), loaded.err());
      CommandRun texts =
          CommandRun.of(
              "load", folder.resolve("new").toString(), wrong.toString(), "--keys", "text");
      assertTrue(texts.err().contains(wrong + ", line 2: 1 fields; "), texts.err());
    } finally {
      Locale.setDefault(before);
    }
  }

  private static void assertRefused(CommandRun run, Path json) {
    assertEquals(2, run.status(), run.err());
    assertTrue(
        run.err().contains("--json is " + json + ", a file that the command works on"), run.err());
  }

  @Test
  void reportThatWouldOverwriteAFileOfTheCommandIsRefused() throws IOException {
    load(lines(1_000), "--page-size", "4K");
    byte[] before = Files.readAllBytes(index());
    Path log =
        IndexStore.files(index()).stream()
            .filter(file -> !file.equals(index()))
            .findFirst()
            .orElse(index());
    Path stripe = folder.resolve("stripe");
    Path link = Files.createSymbolicLink(folder.resolve("link"), index());
    Path detour = folder.resolve("none").resolve("..").resolve("index.esp");
    for (Path json : List.of(index(), log, stripe, link, detour, saved(".esp"))) {
      CommandRun run =
          run(
              "salvage",
              saved(".esp").toString(),
              "--stripe",
              stripe.toString(),
              "--json",
              json.toString());
      assertRefused(run, json);
    }
    for (Path json : List.of(saved(".csv"), saved(".csv.store"))) {
      assertRefused(run("salvage", saved(".csv").toString(), "--json", json.toString()), json);
    }
    assertArrayEquals(before, Files.readAllBytes(index()));
    assertFalse(Files.exists(saved(".esp")));
    assertFalse(Files.exists(saved(".csv")));
  }

  @Test
  void severalIndexesAreSavedTogetherOrOneOfThemAsText() throws IOException {
    try (IndexStore store = IndexStore.open(index())) {
      store.index("a").put(1, 10);
      store.index("b").put(2, 20);
    }
    assertEquals(0, run("salvage", saved(".esp").toString()).status());
    try (IndexStore store = IndexStore.open(saved(".esp"))) {
      assertEquals(10, store.index("a").get(1));
      assertEquals(20, store.index("b").get(2));
    }
    CommandRun refused = run("salvage", saved(".csv").toString());
    assertEquals(
        new CommandRun(
            1,
            "",
            ("espalier salvage: %s: holds several indexes, a, b; name one with --index, or save all"
                    + " into a new index file%n")
                .formatted(index())),
        refused);
    assertFalse(Files.exists(saved(".csv")));
    assertEquals(0, run("salvage", saved(".csv").toString(), "--index", "b").status());
    assertEquals("2,20\n", Files.readString(saved(".csv")));
  }

  private static byte[] text(int number) {
    return "key%05d".formatted(number).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void keysThatAreByteStringsAreListedAsText() throws IOException {
    int count = 20_000;
    FileOptions pages = FileOptions.DEFAULT.withPageBytes(PAGE);
    try (IndexStore store = IndexStore.open(index(), StoreOptions.DEFAULT.withFiles(pages))) {
      BytesIndex strings = store.bytesIndex("words");
      for (int i = 0; i < count; i++) {
        strings.set(text(i), text(-i));
      }
      store.checkpoint();
    }
    damage(40);
    Path json = folder.resolve("lost.json");
    CommandRun run = run("salvage", saved(".esp").toString(), "--json", json.toString());
    assertEquals(1, run.status(), run.err());
    Matcher lost =
        Pattern.compile("  keys from '(key\\d+|)' (on|to below '(key\\d+)') are lost: .*")
            .matcher(run.out());
    assertTrue(lost.find(), run.out());
    JsonObject range =
        JsonParser.parseString(Files.readString(json))
            .getAsJsonObject()
            .getAsJsonArray("indexes")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("ranges")
            .get(0)
            .getAsJsonObject();
    String first = lost.group(1);
    assertEquals(
        HexFormat.of().formatHex(first.getBytes(StandardCharsets.UTF_8)),
        range.get("firstHex").getAsString());
    try (IndexStore store = IndexStore.open(saved(".esp"))) {
      BytesIndex strings = store.bytesIndex("words");
      assertTrue(strings.size() > count / 2 && strings.size() < count, run.out());
      assertNull(strings.get(first.getBytes(StandardCharsets.UTF_8)));
    }
  }

  @Test
  void byteStringsThatAreNoTextAreRefusedAsText() {
    try (IndexStore store = IndexStore.open(index())) {
      store.bytesIndex("words").set(text(1), new byte[] {-1});
    }
    CommandRun refused = run("salvage", saved(".csv").toString());
    assertEquals(1, refused.status());
    assertEquals(
        "espalier salvage: the value of key 'key00001' is not UTF-8; --values hex prints it%n"
            .formatted(),
        refused.err());
    assertFalse(Files.exists(saved(".csv")));
    assertFalse(Files.exists(saved(".csv.store")));
  }

  @Test
  void keysAreTextOrDigits() {
    assertEquals("'abc'", KeyText.of(new byte[] {'a', 'b', 'c'}));
    assertEquals("''", KeyText.of(new byte[0]));
    assertEquals("0x00ff", KeyText.of(new byte[] {0, -1}));
    assertEquals("0x27", KeyText.of(new byte[] {'\''}));
    assertEquals("'\u00e9'", KeyText.of("\u00e9".getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void whatIsThereIsNotOverwritten() throws IOException {
    load("1,10\n");
    Path there = Files.writeString(saved(".esp"), "mine");
    assertEquals(
        new CommandRun(1, "", "espalier salvage: %s: the file exists already%n".formatted(there)),
        run("salvage", there.toString()));
    assertEquals("mine", Files.readString(there));
  }
}
