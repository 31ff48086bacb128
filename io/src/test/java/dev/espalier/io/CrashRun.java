// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One run of a store on a disk that loses power: lives of a process, each of which recovers what
 * the one before has left, compares it with a {@link CrashModel}, and goes on writing until it is
 * cut off as well, be it while it recovers. The same setup does the same each time.
 */
final class CrashRun {
  private final CrashSetup setup;
  private final SplittableRandom random;
  private final SimulatedDisk disk;
  private final StoreOptions options;
  private final StoreEnvironment environment;
  private final CrashModel model = new CrashModel();
  private final CrashWorkload workload;

  private @Nullable IndexStore store;

  /** Whether the store is being opened. */
  private boolean opening;

  /** Operations of the last opening, to hit others like it. */
  private long openingOperations = 40;

  private CrashPlan plan = CrashPlan.NOTHING;
  private int life;
  private int powerLosses;
  private int kills;
  private int inRecovery;

  CrashRun(CrashSetup setup) {
    this.setup = setup;
    this.random = new SplittableRandom(setup.seed());
    int pageBytes = setup.pageBytes(random);
    this.disk =
        new SimulatedDisk(setup.seed(), setup.disk().apply(setup.traits(random, pageBytes)));
    this.options = setup.options(random, pageBytes);
    ForceHook hook = new ForceHook(disk);
    StoreFiles files = setup.around().apply(hook);
    this.environment =
        setup.environment().apply(new StoreEnvironment(files, random.split(), true, false));
    this.workload = new CrashWorkload(setup, random.split(), model, options, hook, this::reopen);
  }

  /**
   * What has happened in a run.
   *
   * @param inRecovery crashes while the store was opened
   * @param operations of the disk in the last life but one
   */
  record Outcome(int powerLosses, int kills, int inRecovery, long operations) {
    Outcome plus(Outcome other) {
      return new Outcome(
          powerLosses + other.powerLosses,
          kills + other.kills,
          inRecovery + other.inRecovery,
          operations + other.operations);
    }
  }

  /**
   * Runs all lives, with crashes drawn from the seed.
   *
   * @throws AssertionError if the store breaks a promise; the message has the seed
   */
  Outcome run() {
    for (life = 1; life <= setup.lives(); life++) {
      live(drawPlan());
    }
    return end();
  }

  /**
   * Runs one life that ends by a crash at an operation, if it has so many, and one that recovers.
   *
   * @throws AssertionError if the store breaks a promise; the message has the seed
   */
  Outcome runTo(long operation) {
    boolean losesPower = random.nextInt(10) < 6;
    life = 1;
    live(losesPower ? CrashPlan.powerLossAt(operation) : CrashPlan.killAt(operation));
    return end();
  }

  private CrashPlan drawPlan() {
    long[] reaches = {openingOperations, 2 * openingOperations, 100, 250, 600};
    long at = 1 + random.nextLong(reaches[random.nextInt(reaches.length)]);
    CrashPlan crash = random.nextInt(10) < 6 ? CrashPlan.powerLossAt(at) : CrashPlan.killAt(at);
    return switch (setup.mode()) {
      case PLAIN, GARBAGE, GARBAGE_FORESEEN -> crash;
      case FAILING_FORCES ->
          crash.failingAtRandom(DiskFault.DEVICE_ERROR, DiskOperation.FORCE, 0.03);
      case FULL -> crash.failingAtRandom(DiskFault.FULL, DiskOperation.WRITE, 0.01);
    };
  }

  // ---------------------------------------------------------------- lives

  private long lastOperations;

  private void live(CrashPlan next) {
    plan = next;
    disk.restart(plan);
    try {
      open();
      workload.work();
      workload.close();
      store = null;
    } catch (AssertionError broken) {
      throw violation(broken);
    } catch (RuntimeException failed) {
      if (!disk.crashed() && !isPlanned(failed)) {
        throw violation(failed);
      }
    } finally {
      closeDead();
    }
    noteEnd();
  }

  private boolean isPlanned(RuntimeException failed) {
    return switch (setup.mode()) {
      case PLAIN, GARBAGE, GARBAGE_FORESEEN -> false;
      case FAILING_FORCES ->
          failed instanceof PageFileException || failed instanceof IllegalStateException;
      // What is not logged, and finds no room for its checkpoint, ends the life of the store, and
      // so does a write of recovery, or of closing, that finds none.
      case FULL ->
          (store != null && store.state().condition.isHalfway())
              || (failed instanceof PageFileException full && SlotSpace.isFull(full));
    };
  }

  /** Lets go of what the process has in memory. */
  private void closeDead() {
    if (store != null) {
      try {
        store.close();
      } catch (RuntimeException dead) {
        // It can't say farewell.
      }
      store = null;
    }
  }

  /** Counts how a life has ended; power may also be lost after a kill, or between operations. */
  private void noteEnd() {
    lastOperations = disk.operations();
    boolean crashed = disk.crashed();
    if (crashed && opening) {
      inRecovery++;
    }
    opening = false;
    if (crashed && plan.losesPower()) {
      powerLosses++;
      return;
    }
    kills++;
    if (random.nextInt(3) == 0) {
      disk.losePower();
      powerLosses++;
    }
  }

  /** Recovers in peace, twice: the second time there is nothing to be recovered. */
  private Outcome end() {
    disk.restart(CrashPlan.NOTHING);
    plan = CrashPlan.NOTHING;
    try {
      open();
      workload.close();
      open();
      if (!store().recovery().wasClean()) {
        throw new AssertionError("a store that was closed is not clean: " + store().recovery());
      }
      workload.close();
      store = null;
    } catch (AssertionError | RuntimeException broken) {
      throw violation(broken);
    } finally {
      closeDead();
    }
    return new Outcome(powerLosses, kills, inRecovery, lastOperations);
  }

  private IndexStore store() {
    return Objects.requireNonNull(store);
  }

  private void reopen() {
    workload.close();
    store = null;
    open();
  }

  private void open() {
    opening = true;
    long before = disk.operations();
    store = new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
    openingOperations = disk.operations() - before + 1;
    opening = false;
    CrashModel.State found = CrashModel.State.of(store, setup.tree());
    model.recover(found);
    for (String name : store.names()) {
      StoredIndex.of(store, setup.tree(), name).verify();
    }
    workload.use(store);
  }

  private AssertionError violation(Throwable broken) {
    return new AssertionError(
        "%s, seed %d, %s, %s, pages of %d, life %d, %s, operation %d: %s"
            .formatted(
                setup.tree(),
                setup.seed(),
                setup.mode(),
                disk.traits(),
                options.files().pageBytes(),
                life,
                plan,
                disk.operations(),
                broken),
        broken);
  }
}
