// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.benchmarks.peer.PackedStrings;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringMapPeer;
import dev.espalier.benchmarks.peer.StringPeer;
import dev.espalier.benchmarks.peer.StringPeerProvider.InFiles;
import dev.espalier.benchmarks.peer.StringPeerProvider.InMemory;
import dev.espalier.benchmarks.peer.StringStore;
import dev.espalier.io.FileOptions;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Strings in turns, on very little data. */
final class StringRatiosTest {
  private static final StringEntries ENTRIES = StringEntries.draw(500, 100);

  @Test
  void structureThatAnswersRightIsMeasuredBesideTheTree() {
    StringsInMemory inMemory = inMemory(StringMapPeer::new);
    inMemory.measure(1);
    List<Target> targets = inMemory.targets();
    assertEquals(11, targets.size());
    assertTrue(measured(targets, "get, against TreeMap"));
    assertTrue(measured(targets, "get, against LMDB"));
    assertTrue(measured(targets, "put, against LMDB"));
    assertTrue(measured(targets, "getAll of 256"));
    assertFalse(measured(targets, "get, against RocksDB"), "there is none");
    assertTrue(inMemory.medians().keySet().stream().noneMatch(work -> work.startsWith("check")));
  }

  @Test
  void wrongAnswerToALookupFailsTheRun() {
    assertFails("get, LMDB", () -> new Altered(1, 0));
  }

  @Test
  void wrongScanFailsTheRun() {
    assertFails("put, LMDB", () -> new Altered(0, 1));
  }

  @Test
  void wrongAnswerOfAStoreFailsTheRun() {
    List<InFiles> wrong = List.of(new InFiles("RocksDB", _ -> new ForgetfulStore()));
    StringsInFiles inFiles =
        new StringsInFiles(ENTRIES, 500, FileOptions.DEFAULT_PAGE_BYTES, wrong);
    IllegalStateException failed =
        assertThrows(IllegalStateException.class, () -> inFiles.measure(1));
    assertTrue(failed.getMessage().contains("RocksDB gave wrong answers"), failed.getMessage());
  }

  @Test
  void filesAreMeasuredWithoutOthers() {
    StringsInFiles inFiles =
        new StringsInFiles(ENTRIES, 500, FileOptions.DEFAULT_PAGE_BYTES, List.of());
    inFiles.measure(1);
    assertEquals(2, inFiles.medians().size());
    assertFalse(measured(inFiles.targets(), "durable"));
  }

  @Test
  void eightByteKeysAreMeasuredBesideTheTreeOfLongs() {
    try (EightByteKeys keys = new EightByteKeys(500)) {
      keys.measure(1);
      assertEquals(4, keys.targets().size());
      assertTrue(measured(keys.targets(), ""));
    }
  }

  private static StringsInMemory inMemory(Supplier<StringPeer> other) {
    return new StringsInMemory(ENTRIES, List.of(new InMemory("LMDB", other)));
  }

  private static boolean measured(List<Target> targets, String work) {
    return targets.stream()
        .filter(target -> target.work().startsWith(work))
        .allMatch(target -> target.value().isPresent());
  }

  private static void assertFails(String work, Supplier<StringPeer> other) {
    IllegalStateException failed =
        assertThrows(IllegalStateException.class, () -> inMemory(other).measure(1));
    assertTrue(failed.getMessage().startsWith(work + " gave wrong answers"), failed.getMessage());
  }

  /** A map whose sums are wrong by a little. */
  private static final class Altered implements StringPeer {
    private final StringMapPeer map = new StringMapPeer();
    private final long getError;
    private final long scanError;

    Altered(long getError, long scanError) {
      this.getError = getError;
      this.scanError = scanError;
    }

    @Override
    public void put(StringEntries entries, int from, int to) {
      map.put(entries, from, to);
    }

    @Override
    public long get(PackedStrings probes) {
      return map.get(probes) + getError;
    }

    @Override
    public long scan() {
      return map.scan() + scanError;
    }

    @Override
    public void close() {
      map.close();
    }
  }

  /** Finds nothing again. */
  private static final class ForgetfulStore implements StringStore {

    @Override
    public void putTogether(StringEntries entries, int from, int to) {}

    @Override
    public void reopen(long cacheBytes) {}

    @Override
    public long getAll(PackedStrings probes, int group) {
      return 0;
    }

    @Override
    public void close() {}
  }
}
