// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.IndexStore;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Crash tests: that they find nothing where nothing is wrong, and everything that is. */
final class CrashTestTest {
  private static final CrashKind TREE = new CrashKind(DiskFirstFpbPlusTree.VARIANT);

  @TempDir private Path folder;

  /** What processes and commands write, but for stores. */
  @TempDir private Path other;

  private CrashReport test(int rounds, CrashRounds.AfterKill afterKill) throws Exception {
    return test(TREE, rounds, afterKill);
  }

  private CrashReport test(CrashKind kind, int rounds, CrashRounds.AfterKill afterKill)
      throws Exception {
    try (ProgressBar progress = ProgressBar.invisible()) {
      return new CrashTest(folder, List.of(kind), 1, afterKill).run(rounds, progress);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static void empty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  @Tag("thorough")
  void killedWritersLoseNothing() throws IOException {
    int rounds = TestSize.share(2, 100);
    long seed = 7 + TestSize.seed();
    Path json = other.resolve("out.json");
    CommandRun run =
        CommandRun.of(
            "crash-test",
            folder.toString(),
            "--rounds",
            Integer.toString(rounds),
            "--variant",
            TestSize.isThorough() ? "all" : "FpbLinkTree",
            "--seed",
            Long.toString(seed),
            "--json",
            json.toString());
    assertEquals("", run.err());
    assertEquals(0, run.status());
    assertTrue(
        run.out()
            .matches("(?s)[0-9,]+ rounds, .*\\(seed " + seed + "\\): 0 lost, 0 rounds wrong, 0.*"),
        run.out());
    JsonObject result = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertEquals(rounds, result.get("rounds").getAsInt());
    assertTrue(result.get("killed").getAsInt() >= rounds);
    // In two rounds a slow machine may come to nothing.
    assertTrue(result.get("acknowledged").getAsLong() >= (TestSize.isThorough() ? rounds : 0));
    assertEquals(0, result.getAsJsonArray("seeds").size());
    assertEquals(List.of(), left());
  }

  @Tag("thorough")
  @Test
  void olderCopyOfAStoreIsSeenAsLoss() throws Exception {
    Path older = folder.resolve("older");
    CrashReport report =
        test(
            8,
            store -> {
              if (!Files.exists(older)) {
                copy(store.getParent(), older);
              } else if (store.getParent().getFileName().toString().startsWith("1-")) {
                empty(store.getParent());
                copy(older, store.getParent());
              }
            });
    assertEquals(1, report.failures().size(), () -> report.toJson().toString());
    CrashReport.Failure failure = report.failures().getFirst();
    // A writer that is killed right after its first commit has made only its note safe.
    boolean isOnlyNote = failure.what().startsWith("has note ");
    assertEquals(!isOnlyNote, report.lost() > 0, failure.what());
    assertEquals(isOnlyNote ? 1 : 0, report.wrong(), failure.what());
    assertEquals(0, report.unopenable());
    assertTrue(Files.exists(failure.store()), "is kept");
  }

  @Test
  @Tag("thorough")
  void writeThatIsNotOfThePlanIsSeen() throws Exception {
    CrashReport report =
        test(
            1,
            store -> {
              try (CrashStore opened = CrashStore.open(store, TREE)) {
                opened.index(1).set(0, 5);
              }
            });
    assertEquals(1, report.wrong(), () -> report.toJson().toString());
    assertEquals(0, report.lost());
    assertTrue(
        report.failures().getFirst().what().contains("key 0 of index 1 has the value 5"),
        report.failures().getFirst().what());
  }

  @Tag("thorough")
  @Test
  void killedWritersOfByteStringsLoseNothing() throws Exception {
    CrashReport report = test(CrashKind.named("prefixbplustree"), 5, CrashRounds.AfterKill.NOTHING);
    assertEquals(List.of(), report.failures(), () -> report.toJson().toString());
    assertTrue(report.acknowledged() > 0);
  }

  private String wrongByteStrings(Consumer<BytesIndex> write) throws Exception {
    CrashReport report =
        test(
            CrashKind.BYTE_STRINGS,
            1,
            store -> {
              try (IndexStore opened = IndexStore.open(store)) {
                write.accept(opened.bytesIndex("1"));
              }
            });
    assertEquals(1, report.wrong(), () -> report.toJson().toString());
    return report.failures().getFirst().what();
  }

  @Test
  void keyThatIsNotOfThePlanIsSeen() throws Exception {
    String what = wrongByteStrings(index -> index.set(new byte[3], new byte[3]));
    assertTrue(what.contains("key 000000 was never written"), what);
  }

  @Tag("thorough")
  @Test
  void bytesOfAValueThatAreNotOfThePlanAreSeen() throws Exception {
    String what =
        wrongByteStrings(
            index -> {
              BytesCursor cursor = index.cursor();
              assertTrue(cursor.last());
              cursor.setValue(MemorySegment.ofArray(new byte[3]));
            });
    assertTrue(what.contains("has 3 bytes that were never written"), what);
  }

  @Tag("thorough")
  @Test
  void batchThatIsThereInPartIsSeen() throws Exception {
    CrashReport report =
        test(
            1,
            store -> {
              try (CrashStore opened = CrashStore.open(store, TREE)) {
                opened.index(1).set(CrashPlan.MARKER, opened.marker(0) + 1);
              }
            });
    assertEquals(1, report.wrong(), () -> report.toJson().toString());
    assertTrue(report.failures().getFirst().what().startsWith("a batch is there in part"));
  }

  @Tag("thorough")
  @Test
  void noteOfAnotherMomentIsSeen() throws Exception {
    CrashReport report =
        test(
            1,
            store -> {
              try (CrashStore opened = CrashStore.open(store, TREE)) {
                opened.commit(opened.marker(0) + 1);
              }
            });
    assertEquals(1, report.wrong(), () -> report.toJson().toString());
    assertTrue(report.failures().getFirst().what().startsWith("has note "));
  }

  @Test
  @Tag("thorough")
  void storeThatCannotBeOpenedIsCounted() throws Exception {
    CrashReport report =
        test(1, store -> Files.writeString(store, "this is no store".repeat(1000)));
    assertEquals(1, report.unopenable(), () -> report.toJson().toString());
    assertEquals(0, report.wrong());
    assertEquals(1, report.toJson().get("seeds") instanceof List<?> seeds ? seeds.size() : 0);
  }

  @Test
  void stepOfAPlanIsAFunctionOfSeedAndNumber() {
    assertEquals(new CrashPlan(3).step(17), new CrashPlan(3).step(17));
    assertFalse(new CrashPlan(3).step(17).equals(new CrashPlan(4).step(17)));
    assertFalse(new CrashPlan(3).step(17).equals(new CrashPlan(3).step(18)));
  }

  @Test
  void noteIsThatOfTheLastCommitUpToAStep() {
    CrashHistory history = new CrashHistory();
    for (String line :
        List.of("opened 0.", "noting 4.", "committed 4.", "writing 12.", "noting 9.", "noting 1")) {
      history.add(line);
    }
    assertEquals(4, history.acknowledged());
    assertEquals(12, history.written());
    assertTrue(history.fits(4, 8));
    assertTrue(history.fits(9, 9));
    assertTrue(history.fits(4, 9), "the batch may be there without its note");
    assertFalse(history.fits(4, 10));
    assertFalse(history.fits(0, 4), "this one was acknowledged");
    assertFalse(history.fits(9, 8));
  }

  @Test
  @Tag("thorough")
  void interruptedTestLeavesNothing() throws Exception {
    ChildProcess child =
        ChildProcess.start(other, ChildProcess.command(List.of(), "crash-test", folder.toString()));
    while (left().isEmpty() && child.isAlive()) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    TimeUnit.MILLISECONDS.sleep(1500);
    child.signal("TERM");
    assertEquals(143, child.await().status());
    assertEquals(List.of(), left());
  }
}
