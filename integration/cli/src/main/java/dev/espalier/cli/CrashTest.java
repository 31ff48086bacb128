// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Crashes of stores in one folder, a store for each kind of index, and now and then a new one. */
final class CrashTest {
  /** Rounds after which a store is replaced by a new one. */
  private static final int ROUNDS_OF_A_STORE = 20;

  private final Path folder;
  private final List<CrashKind> kinds;
  private final SplittableRandom seeds;
  private final CrashRounds.AfterKill afterKill;
  private final List<CrashRounds> stores = new ArrayList<>();
  private final CrashReport report = new CrashReport();
  private int made;

  /**
   * Prepares a test.
   *
   * @param folder in which it makes a folder for each store
   */
  CrashTest(Path folder, List<CrashKind> kinds, long seed, CrashRounds.AfterKill afterKill) {
    this.folder = folder;
    this.kinds = kinds;
    this.seeds = new SplittableRandom(seed);
    this.afterKill = afterKill;
  }

  /** Does so many rounds, kind by kind in turn. A store that fails is left as it is. */
  CrashReport run(int rounds, ProgressBar progress) throws InterruptedException, IOException {
    for (int round = 0; round < rounds; round++) {
      int kind = round % kinds.size();
      progress.show(
          "round %d of %d, %s".formatted(round + 1, rounds, kinds.get(kind).name()),
          (double) round / rounds);
      if (round < kinds.size()) {
        stores.add(make(kinds.get(kind)));
      } else if (round / kinds.size() % ROUNDS_OF_A_STORE == 0) {
        delete(stores.get(kind));
        stores.set(kind, make(kinds.get(kind)));
      }
      if (!stores.get(kind).run(report, afterKill)) {
        stores.set(kind, make(kinds.get(kind)));
      }
    }
    for (CrashRounds store : stores) {
      delete(store);
    }
    return report;
  }

  private CrashRounds make(CrashKind kind) throws IOException {
    made++;
    Path own = Files.createDirectory(folder.resolve(made + "-" + kind.name()));
    return new CrashRounds(own.resolve("store.esp"), kind, seeds.nextLong());
  }

  private static void delete(CrashRounds store) throws IOException {
    Path own = store.store().resolveSibling("");
    try (Stream<Path> files = Files.walk(own)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
