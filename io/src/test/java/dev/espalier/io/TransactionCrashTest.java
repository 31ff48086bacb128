// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.cola.Cola;
import dev.espalier.family.Family;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A bank whose store loses power or is killed at any moment. Its accounts are in one index, and its
 * journal in another; what is left of them is what some number of transfers has left, one after the
 * other, and no fewer than were known to be safe.
 */
class TransactionCrashTest {
  private static final int ACCOUNTS = 40;
  private static final int TRANSFERS = 120;
  private static final long BEGINNING = 1_000;

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(4096).withPoolBytes(24 * 4096))
          .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
          .withCheckpointTime(Duration.ofHours(1));

  /** The trees of the accounts; the journal of those in byte strings has longs. */
  static Stream<String> trees() {
    return Stream.concat(
        Stream.of(FpbLinkTree.VARIANT, DiskFirstFpbPlusTree.VARIANT, Cola.VARIANT)
            .map(TreeVariant::name),
        Stream.of(StoreBytesIndex.KIND));
  }

  private static IndexStore open(SimulatedDisk disk, String tree, long seed) {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(seed), false, false);
    StoreOptions options =
        tree.equals(StoreBytesIndex.KIND)
            ? OPTIONS
            : OPTIONS.withFiles(OPTIONS.files().withVariant(Family.named(tree)));
    return new StoreOpening(SimulatedDisk.path("bank"), options, environment).open();
  }

  /** What a life has come to: the accounts after each transfer, and how many are safe. */
  private static final class Life {
    final List<TreeMap<Long, Long>> after = new ArrayList<>();
    int safe;
  }

  private static void prepare(SimulatedDisk disk, String tree, long seed, Life life) {
    try (IndexStore store = open(disk, tree, seed)) {
      LongIndex accounts = AsLongs.of(store, tree, "accounts");
      store.index("journal");
      for (long account = 0; account < ACCOUNTS; account++) {
        accounts.set(account, BEGINNING);
      }
      life.after.add(AsLongs.entries(accounts));
    }
  }

  private static void live(SimulatedDisk disk, String tree, long seed, Life life) {
    IndexStore store = open(disk, tree, seed);
    try {
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 1; i <= TRANSFERS; i++) {
        long from = random.nextLong(ACCOUNTS);
        long to = random.nextLong(ACCOUNTS);
        long amount = random.nextLong(500);
        TreeMap<Long, Long> next = new TreeMap<>(life.after.getLast());
        next.merge(from, -amount, Long::sum);
        next.merge(to, amount, Long::sum);
        life.after.add(next);
        transfer(store, tree, i, from, to, amount);
        if (random.nextInt(7) == 0) {
          store.commit();
          life.safe = i;
        }
        if (random.nextInt(40) == 0) {
          store.checkpoint();
          life.safe = i;
        }
      }
      store.close();
      life.safe = TRANSFERS;
    } finally {
      abandon(store);
    }
  }

  private static void transfer(
      IndexStore store, String tree, long number, long from, long to, long amount) {
    store.transact(
        Isolation.SERIALIZABLE,
        transaction -> {
          LongIndex accounts = AsLongs.of(transaction, tree, "accounts");
          accounts.set(from, accounts.get(from) - amount);
          accounts.set(to, accounts.get(to) + amount);
          transaction.index("journal").set(number, amount);
          return number;
        });
  }

  private static void abandon(IndexStore store) {
    try {
      store.close();
    } catch (PowerLostException | PageFileException | IllegalStateException lost) {
      assertTrue(store.isClosed(), lost.toString());
    }
  }

  private static void check(SimulatedDisk disk, String tree, long seed, Life life) {
    try (IndexStore store = open(disk, tree, seed)) {
      store.verify();
      int made = (int) store.index("journal").size();
      assertTrue(made >= life.safe, () -> made + " transfers are left, of " + life.safe);
      assertEquals(life.after.get(made), AsLongs.entries(AsLongs.of(store, tree, "accounts")));
      for (long number = 1; number <= made; number++) {
        assertTrue(store.index("journal").containsKey(number), "transfer " + number);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("trees")
  void whatSurvivesIsABeginningOfTheTransfers(String tree) {
    SimulatedDisk whole = DiskTrials.disk(1);
    Life all = new Life();
    prepare(whole, tree, 1, all);
    whole.restart(CrashPlan.NOTHING);
    live(whole, tree, 1, all);
    long operations = whole.operations();
    assertTrue(operations > 50, "operations " + operations);
    for (int round = 0; round < TestSize.of(1, 12); round++) {
      for (int crashAt = TestSize.after(0);
          crashAt <= operations;
          crashAt = TestSize.after(crashAt)) {
        crash(tree, crashAt, crashAt + round * 1_000L);
      }
    }
  }

  private static void crash(String tree, long crashAt, long seed) {
    SimulatedDisk disk = DiskTrials.disk(seed);
    Life life = new Life();
    prepare(disk, tree, seed, life);
    disk.restart(CrashPlan.at(crashAt, seed));
    try {
      live(disk, tree, seed, life);
    } catch (PowerLostException | PageFileException | IllegalStateException lost) {
      assertTrue(disk.crashed(), lost.toString());
    }
    disk.restart(CrashPlan.NOTHING);
    try {
      check(disk, tree, seed, life);
    } catch (AssertionError | RuntimeException failed) {
      throw new AssertionError("seed " + seed + ", crash at operation " + crashAt, failed);
    }
  }
}
