// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage to what was forced in the log of a store that was not closed is noticed. */
class LogDamageTest {
  private static final int SEGMENT_BYTES = StoreOptions.LEAST_SEGMENT_BYTES;
  private static final int COMMITS = 40;
  private static final int WRITES = 30;
  private static final long ENTRIES = COMMITS * WRITES;

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(1024).withPoolBytes(1 << 20))
          .withSegmentBytes(SEGMENT_BYTES);

  private static final StoreOptions LOSING =
      OPTIONS.withFiles(OPTIONS.files().withFlags(FileOption.LOSE_DAMAGED_LOG));

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private Path live;
  private Path copy;
  private Path store;

  /** Where in the log the last force but one has ended. */
  private Log.Position lastButOne;

  /** Leaves a copy of a store as a kill after its last commit does: several segments, no mark. */
  @BeforeEach
  void write() throws IOException {
    live = folder.resolve("live");
    copy = folder.resolve("copy");
    store = copy.resolve("store.esp");
    Files.createDirectories(live);
    try (IndexStore writing = open(live.resolve("store.esp"), OPTIONS, Set.of())) {
      LongIndex index = writing.index("a");
      for (int commit = 0; commit < COMMITS; commit++) {
        lastButOne = writing.state().log.end();
        for (int i = 0; i < WRITES; i++) {
          index.set(index.size(), commit);
        }
        writing.commit();
      }
      Stores.copy(live, copy);
      writing.state().log.mark(writing.state().header.checkpoint());
      Stores.copy(live, folder.resolve("marked"));
    }
  }

  private static IndexStore open(Path path, StoreOptions options, Set<Rule> without) {
    StoreEnvironment usual = Stores.environment(PageFiles.CHANNEL);
    return new StoreOpening(
            path,
            options,
            new StoreEnvironment(usual.files(), new Random(1), false, false, without))
        .open();
  }

  private static long size(Path path, StoreOptions options, Set<Rule> without) {
    try (IndexStore opened = open(path, options, without)) {
      return opened.index("a").size();
    }
  }

  private static void overwrite(Path file, long at, byte[] bytes) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.seek(at);
      opened.write(bytes);
    }
  }

  /** Returns the file of a segment of the copy. */
  private Path segment(long number) throws IOException {
    for (int i = 0; ; i++) {
      Path file = store.resolveSibling("store.esp.log" + i);
      LogSegment segment =
          LogSegment.open(Stores.environment(PageFiles.CHANNEL).files(), file, Access.READ);
      try (PageFile _ = segment.file) {
        LogSegment.Header first = segment.header();
        if (first != null && first.number() == number) {
          return file;
        }
      }
    }
  }

  private void assertRefused(String... parts) {
    PageFileException refused =
        assertThrows(PageFileException.class, () -> size(store, OPTIONS, Set.of()));
    String message = String.valueOf(refused.getMessage());
    for (String part : parts) {
      assertTrue(message.contains(part), message);
    }
    assertTrue(message.contains("salvage"), message);
    assertTrue(message.contains("recover --lose-damaged-log"), message);
    assertTrue(message.contains("LOSE_DAMAGED_LOG"), message);
  }

  private void assertLosesTheRest() {
    long left = size(store, LOSING, Set.of());
    assertTrue(left < ENTRIES, "left: " + left);
    assertEquals(left, size(store, OPTIONS, Set.of()), "is whole from then on");
  }

  @Test
  void aStoreThatWasKilledIsWhole() {
    assertEquals(ENTRIES, size(store, OPTIONS, Set.of()));
  }

  @Test
  void aZeroedSectorBeforeTheLastForceButOneIsAlwaysNoticed() throws IOException {
    int damaged = 0;
    for (long number = 2; number <= lastButOne.segment(); number++) {
      long end = number == lastButOne.segment() ? lastButOne.offset() - 512 : SEGMENT_BYTES - 1024;
      for (long at = number == 2 ? 8192 : 4096; at <= end; at += 1536) {
        Stores.copy(folder.resolve("copy"), folder.resolve("kept"));
        overwrite(segment(number), at, new byte[512]);
        assertRefused("its log is damaged", "of segment " + number, "first later one is record");
        Stores.copy(folder.resolve("kept"), folder.resolve("copy"));
        damaged++;
      }
    }
    assertTrue(damaged > 20, "damaged: " + damaged);
  }

  @Test
  void withoutTheRuleWhatWasAcknowledgedIsLostInSilence() throws IOException {
    overwrite(segment(3), 6144, new byte[512]);
    long left = size(store, OPTIONS, Set.of(Rule.DAMAGE_TO_FORCED_RECORDS_IS_NOTICED));
    assertTrue(left < ENTRIES, "left: " + left);
  }

  @Test
  void whatIsBehindTheDamageCanBeGivenUp() throws IOException {
    overwrite(segment(3), 6144, new byte[512]);
    assertRefused("offset", "of segment 3");
    assertLosesTheRest();
  }

  @Test
  void damageToTheLastRecordIsNoticedByTheMarkBehindIt() throws IOException {
    long at = lastButOne.offset() + (WRITES - 1L) * SetRecord.BYTES + 40;
    overwrite(segment(lastButOne.segment()), at, new byte[] {-1});
    assertEquals(ENTRIES - 1, size(store, OPTIONS, Set.of()), "without a mark");
    Stores.copy(folder.resolve("marked"), copy);
    assertEquals(ENTRIES, size(store, OPTIONS, Set.of()));
    Stores.copy(folder.resolve("marked"), copy);
    overwrite(segment(lastButOne.segment()), at, new byte[] {-1});
    assertRefused("all up to", "no later record is left");
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "empty", "cut off", "ones", "older"})
  void aSegmentInTheMiddleIsNeverPassedOver(String damage) throws IOException {
    Path file = segment(4);
    switch (damage) {
      case "missing" -> Files.delete(file);
      case "empty" -> Files.write(file, new byte[0]);
      case "cut off" -> Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 8192));
      case "ones" -> {
        byte[] ones = new byte[SEGMENT_BYTES];
        Arrays.fill(ones, (byte) -1);
        Files.write(file, ones);
      }
      default -> Files.copy(segment(3), file, StandardCopyOption.REPLACE_EXISTING);
    }
    assertRefused("its log is damaged");
    assertLosesTheRest();
  }

  @Test
  void aLastSegmentWithoutItsFirstBlockIsNotPassedOver() throws IOException {
    overwrite(segment(lastButOne.segment()), 0, new byte[4096]);
    assertRefused("its log is damaged");
  }

  /** No later record is left that could tell of those that are lost. */
  @Test
  void aLastSegmentThatWasCutOffIsNotPassedOver() throws IOException {
    Path file = segment(lastButOne.segment());
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), LogSegment.HEADER_BYTES));
    assertRefused("segment " + lastButOne.segment(), "has 4096 bytes, but had " + SEGMENT_BYTES);
    SalvageReport report =
        Salvage.salvage(store, OPTIONS.files(), folder.resolve("saved.esp"), ProgressListener.NONE);
    assertFalse(report.isComplete(), report::toString);
    assertLosesTheRest();
  }

  /** Whichever segment is the last when the store is killed, with whatever it has by then. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"false, 0", "false, -1", "true, 0", "true, -1", "false, 512"})
  void aLastSegmentThatIsMissingOrEmptyIsNotPassedOver(boolean tears, int left) throws IOException {
    StoreOptions options =
        tears ? OPTIONS.withFiles(OPTIONS.files().withFlags(FileOption.SECTORS_MAY_TEAR)) : OPTIONS;
    Path other = folder.resolve("other");
    Files.createDirectories(other);
    int segments = 0;
    try (IndexStore writing = open(other.resolve("store.esp"), options, Set.of())) {
      LongIndex index = writing.index("a");
      writing.checkpoint();
      long first = writing.state().header.logSegment();
      for (int commit = 0; commit < COMMITS; commit++) {
        long before = writing.state().log.end().segment();
        for (int i = 0; i < WRITES; i++) {
          index.set(index.size(), commit);
        }
        writing.commit();
        long last = writing.state().log.end().segment();
        if (last == before && commit % 8 != 0) {
          continue;
        }
        Stores.copy(other, copy);
        assertEquals(index.size(), size(store, options, Set.of()), "whole");
        Stores.copy(other, copy);
        Path file = segment(last);
        if (left < 0) {
          Files.delete(file);
        } else {
          Files.write(file, Arrays.copyOf(Files.readAllBytes(file), left));
        }
        assertRefused("its log", last == first ? "is missing" : "segment " + (last - 1));
        SalvageReport report =
            Salvage.salvage(
                store, options.files(), folder.resolve("saved.esp"), ProgressListener.NONE);
        assertFalse(report.isComplete(), report::toString);
        Files.delete(folder.resolve("saved.esp"));
        long lost = size(store, LOSING, Set.of());
        assertTrue(lost < index.size(), "left: " + lost);
        assertEquals(lost, size(store, options, Set.of()), "is whole from then on");
        segments++;
      }
    }
    assertTrue(segments > 4, "segments: " + segments);
  }

  @Test
  void aFileThatIsOlderThanItsLogIsRefused() throws IOException {
    Path older = folder.resolve("older");
    Stores.copy(live, older); // closed
    byte[] closed = Files.readAllBytes(older.resolve("store.esp"));
    try (IndexStore writing = open(live.resolve("store.esp"), OPTIONS, Set.of())) {
      writing.index("a").set(-1, 1);
      writing.commit();
      Stores.copy(live, copy);
    }
    Files.write(store, closed);
    assertRefused("is older than its log");
    assertEquals(ENTRIES, size(store, LOSING, Set.of()));
    assertEquals(ENTRIES, size(store, OPTIONS, Set.of()), "later epochs no longer count");
  }

  @Test
  void aHeaderTellsWhatWasForcedBeyondItsCheckpoint() throws IOException {
    try (IndexStore writing = open(live.resolve("store.esp"), OPTIONS, Set.of())) {
      StoreHeader header = writing.state().header;
      writing.index("a").set(-1, 1);
      writing.commit();
      header.withForced(writing.state().log.forced()).writeTo(writing.state().file, 1);
      Stores.copy(live, copy);
    }
    assertEquals(ENTRIES + 1, size(store, OPTIONS, Set.of()));
    try (IndexStore writing = open(live.resolve("store.esp"), OPTIONS, Set.of())) {
      StoreHeader header = writing.state().header;
      writing.index("a").set(-2, 1);
      writing.commit();
      header.withForced(writing.state().log.forced()).writeTo(writing.state().file, 1);
      Stores.copy(live, copy);
      overwrite(segment(header.logSegment()), header.logOffset(), new byte[64]);
    }
    assertRefused("as its header says");
  }

  @Test
  void aWholeSegmentCountsBeforeATornOneOfTheSameNumber() throws IOException {
    byte[] whole = Files.readAllBytes(segment(3));
    byte[] torn = whole.clone();
    Arrays.fill(torn, 8192, 8704, (byte) 0);
    Path original = segment(3);
    for (boolean isFirst : new boolean[] {false, true}) {
      Stores.copy(folder.resolve("marked"), copy);
      Files.write(original, isFirst ? torn : whole);
      Files.write(copy.resolve("store.esp.log99"), isFirst ? whole : torn);
      assertEquals(ENTRIES, size(store, OPTIONS, Set.of()));
    }
    assertFalse(Files.exists(copy.resolve("store.esp.new")));
  }

  /** The file is mostly a hole; one and a half times its bytes are more than an array can have. */
  @Test
  void aLogFileThatWasExtendedIsRead() throws IOException {
    try (RandomAccessFile file =
        new RandomAccessFile(segment(lastButOne.segment()).toFile(), "rw")) {
      file.setLength(1536L << 20);
    }
    assertEquals(ENTRIES, size(store, OPTIONS, Set.of()));
  }
}
