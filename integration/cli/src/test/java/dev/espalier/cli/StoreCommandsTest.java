// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.LongIndex;
import dev.espalier.io.BufferPool;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that inspect, check, recover and copy index files, whole and damaged ones. */
final class StoreCommandsTest extends IndexFileCommands {
  // ---------------------------------------------------------------- inspect and verify

  @Test
  void inspectDoesNotWriteItsFindingsOverTheFile() throws IOException {
    load(lines(1_000), "--page-size", "4K");
    byte[] before = Files.readAllBytes(index());
    CommandRun run = run("inspect", "--json", index().toString());
    assertEquals(2, run.status());
    assertTrue(run.err().contains("--json is " + index() + ", a file that"), run.err());
    assertArrayEquals(before, Files.readAllBytes(index()));
  }

  @Test
  void inspectShowsHeaderAndLevels() throws IOException {
    load(lines(20_000), "--page-size", "4K", "--variant", "DiskOptimizedBPlusTree");
    Path file = folder.resolve("inspected.json");
    CommandRun run = run("inspect", "--json", file.toString());
    assertEquals("", run.err());
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals("DiskOptimizedBPlusTree", json.get("tree").getAsString());
    assertEquals("int64:int64", json.get("codecs").getAsString());
    assertEquals(4, json.get("version").getAsInt());
    assertEquals(20_000, json.get("entries").getAsLong());
    assertEquals(PAGE, json.get("pageBytes").getAsInt());
    assertEquals(0, json.get("freePages").getAsInt());
    assertTrue(json.get("clean").getAsBoolean());
    assertEquals(0, json.get("logBytes").getAsLong());
    assertEquals(Files.size(index()), json.get("bytes").getAsLong());
    assertEquals(Files.size(index()) / 20_000.0, json.get("bytesPerEntry").getAsDouble(), 1e-9);
    JsonObject pool = json.getAsJsonObject("pool");
    assertTrue(pool.get("shared").getAsBoolean());
    long used = pool.get("usedBytes").getAsLong();
    long most = pool.get("mostBytes").getAsLong();
    assertTrue(used > 0 && used <= most, pool::toString);
    assertTrue(most <= BufferPool.mostSharedBytes(), "less what pools of other tests have");
    assertTrue(pool.get("hits").getAsLong() + pool.get("misses").getAsLong() > 0, pool::toString);
    assertTrue(run.out().contains(" KiB, shared; of "));

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
        "FpbLinkTree",
        "MicroIndexBPlusTree",
        "CacheFirstFpbPlusTree",
        "BEpsilonTree",
        "Cola"
      })
  void dumpSkipsDamagedPagesAndListsTheKeysThatAreMissing(String variant) throws IOException {
    load(lines(20_000), "--page-size", "4K", "--variant", variant);
    damage(8);
    damage(variant.equals("FpbLinkTree") ? 10 : 9); // Not the root, which leads to all leaves.
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
  @ValueSource(strings = {"DiskFirstFpbPlusTree", "FpbLinkTree", "BEpsilonTree", "Cola"})
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
  void fileThatWasNotClosedIsReadWithItsLogAndStaysAsItIs() throws IOException {
    load(lines(2_000), "--page-size", "4K");
    leaveUnclean();
    byte[] before = Files.readAllBytes(index());
    assertEquals(new CommandRun(0, "1,0\n", ""), run("get", "1"));
    assertEquals(new CommandRun(0, "1,0\n2,0\n", ""), run("scan", "1", "2"));
    assertEquals(2_000, run("dump").out().lines().filter(line -> line.endsWith(",0")).count());
    assertEquals(new CommandRun(0, "1,-1\n", ""), run("get", "1", "--last-checkpoint"));
    CommandRun verified = run("verify");
    assertEquals(0, verified.status(), verified.err());
    assertEquals(
        index() + ": the file was not closed; the tree is checked with what is in its log",
        verified.out().lines().findFirst().orElseThrow());
    CommandRun inspected = run("inspect");
    assertEquals(0, inspected.status());
    String logBytes = String.format(Locale.ROOT, "%,d", bytesOfLog());
    assertTrue(
        inspected
            .out()
            .contains("Clean    no: the last writes are in the log of " + logBytes + " bytes"),
        inspected.out());
    assertTrue(inspected.out().contains("level"), inspected.out());

    CommandRun dry = run("recover", "--dry-run");
    assertEquals(0, dry.status(), dry.err());
    assertTrue(dry.out().startsWith(index() + ": would recover 2,000 writes in "), dry.out());
    assertTrue(dry.out().contains(": the log ends because "), dry.out());
    assertArrayEquals(before, Files.readAllBytes(index()));

    CommandRun recovered = run("recover");
    assertEquals(0, recovered.status(), recovered.err());
    assertTrue(
        recovered.out().startsWith(index() + ": recovered 2,000 writes in "), recovered.out());
    assertEquals(new CommandRun(0, "1,0\n", ""), run("get", "1"));
    CommandRun nothing =
        new CommandRun(
            0, "%s: the file was closed; there is nothing to recover%n".formatted(index()), "");
    assertEquals(nothing, run("recover"));
    assertEquals(nothing, run("recover", "--dry-run"));
  }

  @Test
  void damageInTheLogIsToldAndCanBeGivenUp() throws IOException {
    load(lines(2_000), "--page-size", "4K");
    leaveUnclean(2);
    String log = index().getFileName() + ".log*";
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, log)) {
      for (Path file : files) {
        try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
          damaged.seek(4096); // where the first record of a segment is
          damaged.write(new byte[512]);
        }
      }
    }
    for (List<String> command :
        List.of(List.of("verify"), List.of("recover", "--dry-run"), List.of("recover"))) {
      String[] options = command.stream().skip(1).toArray(String[]::new);
      CommandRun refused = run(command.getFirst(), options);
      assertEquals(1, refused.status(), refused.toString());
      String told = refused.out() + refused.err();
      assertTrue(told.contains("its log is damaged at offset "), told);
      assertTrue(told.contains("recover --lose-damaged-log"), told);
    }
    CommandRun recovered = run("recover", "--lose-damaged-log");
    assertEquals(0, recovered.status(), recovered.err());
    assertTrue(
        recovered.out().contains("the log ends because its log is damaged"), recovered.out());
    assertEquals(0, run("verify").status());
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
    leaveUnclean(1);
  }

  private void leaveUnclean(int flushes) throws IOException {
    Path copies = Files.createDirectory(folder.resolve("copies"));
    List<Path> files;
    try (LongIndex index =
        dev.espalier.io.Espalier.open(
            index(), FileOptions.DEFAULT.withFlags(FileOption.MUST_EXIST))) {
      for (long key = 1; key <= 2_000; key++) {
        index.put(key, 0);
      }
      index.flush();
      for (int flush = 1; flush < flushes; flush++) {
        index.put(0, flush);
        index.flush();
      }
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

  @Test
  void loadAddsAnIndexToAFile() throws IOException {
    load("1,10\n");
    CommandRun added =
        run("load", csv("3,30\n2,20\n").toString(), "--index", "b", "--variant", "PioBTree");
    assertEquals(0, added.status(), added.err());
    assertTrue(added.out().startsWith(index() + ": PioBTree, 2 entries, "), added.out());
    assertEquals(new CommandRun(0, "1,10\n", ""), run("dump", "--index", "index"));
    assertEquals(new CommandRun(0, "2,20\n3,30\n", ""), run("dump", "--index", "b"));
    assertEquals(
        new CommandRun(
            1,
            "",
            "espalier load: %s: has an index 'b' already; --append adds to it%n"
                .formatted(index())),
        run("load", csv("4,40\n").toString(), "--index", "b"));
  }

  @Test
  void newFileHasTheIndexThatIsNamed() throws IOException {
    CommandRun made = run("load", csv("1,10\n").toString(), "--index", "a");
    assertEquals(0, made.status(), made.err());
    try (IndexStore store = IndexStore.open(index())) {
      assertEquals(List.of("a"), store.names());
    }
  }

  @Test
  void indexThatIsNotLoadedToItsEndIsNotAdded() throws IOException {
    load("1,10\n");
    LongInput entries = LongInput.ofTable(new long[] {1, 2});
    FileOptions options = FileOptions.DEFAULT.withFlags(FileOption.MUST_EXIST);
    assertThrows(
        CancellationException.class,
        () -> IndexFiles.add(index(), options, "b", entries, 1, (done, total) -> false));
    try (IndexStore store = IndexStore.open(index())) {
      assertEquals(List.of("index"), store.names());
    }
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
    assertTrue(run.out().matches("(?s).*\\Ra +FpbLinkTree +1 .*"), run.out());
    assertTrue(run.out().matches("(?s).*\\Rb +FpbLinkTree +2 .*"), run.out());
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

  private long bytesOfLog() throws IOException {
    String log = index().getFileName() + ".log";
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, log + "*")) {
      for (Path file : files) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }
}
