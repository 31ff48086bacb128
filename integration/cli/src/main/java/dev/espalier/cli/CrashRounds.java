// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.cli.CrashReport.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The rounds of a crash test on one store: a writer is killed, perhaps another one in its recovery,
 * and what is left is compared with the plan.
 */
final class CrashRounds {
  /** Longest time from the opening of a store to the kill. */
  private static final int MOST_MILLIS = 400;

  /** Longest time from the start of a process to a kill that may hit the opening. */
  private static final int MOST_OPENING_MILLIS = 1000;

  /** Of so many kills, one may hit the opening. */
  private static final int OPENINGS = 4;

  private final Path store;
  private final CrashKind kind;
  private final long seed;
  private final SplittableRandom moments;
  private final CrashHistory history = new CrashHistory();
  private CrashContents expected = new CrashContents();

  /** The step up to which {@link #expected} is. */
  private long step;

  /** Prepares to work with a store that is not there yet. */
  CrashRounds(Path store, CrashKind kind, long seed) {
    this.store = store;
    this.kind = kind;
    this.seed = seed;
    this.moments = new SplittableRandom(~seed);
  }

  Path store() {
    return store;
  }

  long seed() {
    return seed;
  }

  /** What is done to a store's files between the kill and the comparison; for tests. */
  @FunctionalInterface
  interface AfterKill {
    /** Nothing is. */
    AfterKill NOTHING = _ -> {};

    /** Does it. */
    void accept(Path store) throws IOException;
  }

  /** Does a round, adds what it found to a report, and returns whether the store is sound. */
  boolean run(CrashReport report, AfterKill afterKill) throws InterruptedException {
    long before = history.acknowledged();
    String ended = crash(report, moments.nextInt(OPENINGS) == 0);
    if (ended.isEmpty() && moments.nextBoolean()) {
      ended = crash(report, moments.nextBoolean());
    }
    try {
      afterKill.accept(store);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Outcome outcome = ended.isEmpty() ? compare() : Outcome.wrong(ended);
    report.addRound(outcome, history.acknowledged() - before);
    if (outcome.equals(Outcome.SOUND)) {
      return true;
    }
    report.addFailure(new CrashReport.Failure(store, kind.name(), seed, outcome.what()));
    return false;
  }

  /** Lets a process write and kills it. Returns what it said if it ended by itself. */
  private String crash(CrashReport report, boolean early) throws InterruptedException {
    CrashProcess writer = CrashProcess.start(store, kind.name(), seed, history);
    if (early) {
      TimeUnit.MILLISECONDS.sleep(moments.nextInt(MOST_OPENING_MILLIS));
    } else {
      writer.awaitOpening();
      TimeUnit.MILLISECONDS.sleep(moments.nextInt(MOST_MILLIS));
    }
    String ended = writer.kill();
    if (ended.isEmpty()) {
      report.addKill();
    }
    return ended;
  }

  /** Opens the store, which recovers it, and compares it with the plan. */
  private Outcome compare() {
    boolean wasOpened = false;
    try (CrashStore opened = CrashStore.open(store, kind)) {
      wasOpened = true;
      opened.verify();
      return compare(opened);
    } catch (RuntimeException e) {
      // Whatever a damaged store leads to.
      return wasOpened ? Outcome.wrong(e.toString()) : Outcome.unopenable(e.toString());
    }
  }

  private Outcome compare(CrashStore opened) {
    long last = opened.marker(0);
    if (opened.marker(1) != last) {
      return Outcome.wrong(
          "a batch is there in part: the last one is %d in index 0, %d in index 1"
              .formatted(last, opened.marker(1)));
    }
    if (last < 0 || last > history.written()) {
      return Outcome.wrong(
          "has step %d, but the last that was begun is %d".formatted(last, history.written()));
    }
    CrashContents found = new CrashContents();
    for (int i = 0; i < CrashPlan.INDEXES; i++) {
      String invented = found.read(i, opened.index(i));
      if (!invented.isEmpty()) {
        return Outcome.wrong(invented);
      }
    }
    String difference = difference(found, last);
    if (!difference.isEmpty()) {
      return Outcome.wrong("after step %d, %s".formatted(last, difference));
    }
    if (last < history.acknowledged()) {
      return Outcome.lost(
          history.acknowledged() - last,
          "has all up to step %d, but step %d was acknowledged"
              .formatted(last, history.acknowledged()));
    }
    return history.fits(opened.note(), last)
        ? Outcome.SOUND
        : Outcome.wrong("has note %d after step %d".formatted(opened.note(), last));
  }

  /**
   * Compares entries with the plan up to a step. Some of the next step's single writes may be there
   * as well, the first ones of them.
   */
  private String difference(CrashContents found, long last) {
    CrashPlan plan = new CrashPlan(seed);
    if (last < step) {
      expected = new CrashContents();
      step = 0;
    }
    while (step < last) {
      step++;
      expected.apply(plan.step(step));
    }
    CrashContents nearest = expected;
    if (!expected.isSameAs(found) && last < history.written()) {
      nearest = expected.nearestTo(found, plan.step(last + 1).singles());
    }
    return nearest.isSameAs(found) ? "" : nearest.difference(found);
  }
}
