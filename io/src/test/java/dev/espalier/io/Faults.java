// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.TestSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Failures on order: counts what is done to all page files that {@link #over} opens, and lets some
 * of it fail. Each request of a batch, each force and each growing is one operation.
 *
 * <p>For many threads; which of their operations is the n-th is then left to them.
 */
final class Faults {

  /** What is done to a file. */
  enum Operation {
    READ,
    WRITE,
    FORCE,
    GROW
  }

  private record Rule(long number, boolean once, int errno, Set<Operation> among) {}

  /**
   * What was done to a file.
   *
   * @param position in the file, for what has one, else -1
   */
  record Done(Operation operation, long position) {}

  private final List<Done> done = new ArrayList<>();
  private final Map<Operation, Long> counts = new EnumMap<>(Operation.class);
  private @Nullable Rule rule;
  private long counted;
  private @Nullable Operation interrupted;
  private Runnable interruption = () -> {};

  /**
   * Returns the number of the operation to fail after another, where each is to fail once: some are
   * left out later on, but in a thorough run.
   */
  static int next(int number) {
    return number < 8 ? number + 1 : TestSize.after(number);
  }

  /**
   * Lets one operation fail; replaces what was ordered before.
   *
   * @param number of the operation, counted from 1 and from now on
   * @param errno that it fails with
   * @param among the kinds that count and may fail; none for all
   */
  synchronized void failOnce(long number, int errno, Operation... among) {
    order(number, true, errno, among);
  }

  /** Lets an operation and all later ones fail, as {@link #failOnce}. */
  synchronized void failFrom(long number, int errno, Operation... among) {
    order(number, false, errno, among);
  }

  private void order(long number, boolean once, int errno, Operation... among) {
    Set<Operation> kinds =
        among.length == 0 ? EnumSet.allOf(Operation.class) : EnumSet.of(among[0], among);
    rule = new Rule(number, once, errno, kinds);
    counted = 0;
  }

  /** Lets nothing fail any more. */
  synchronized void heal() {
    rule = null;
  }

  /** Returns how many operations there were, of the kinds that may fail, since that was ordered. */
  synchronized long counted() {
    return counted;
  }

  /** Returns how many operations there were, those that failed included. */
  synchronized long count() {
    return counts.values().stream().mapToLong(count -> count).sum();
  }

  /** Returns how many operations of a kind there were. */
  synchronized long count(Operation operation) {
    return counts.getOrDefault(operation, 0L);
  }

  /** Returns where in files was written, request by request. */
  synchronized List<Long> written() {
    return done.stream()
        .filter(each -> each.operation == Operation.WRITE)
        .map(Done::position)
        .toList();
  }

  /** Returns what was done to files, in this order; reads are left out. */
  synchronized List<Done> done() {
    return List.copyOf(done);
  }

  synchronized void done(Operation operation, long position) {
    done.add(new Done(operation, position));
    if (operation == interrupted) {
      interrupted = null;
      interruption.run();
    }
  }

  /** Does something right after the next operation of a kind, as another thread might. */
  synchronized void afterNext(Operation operation, Runnable action) {
    interrupted = operation;
    interruption = action;
  }

  /** Counts an operation; returns the error number that it has to fail with, else 0. */
  synchronized int next(Operation operation) {
    counts.merge(operation, 1L, Long::sum);
    if (rule == null || !rule.among.contains(operation)) {
      return 0;
    }
    counted++;
    return counted == rule.number || (counted > rule.number && !rule.once) ? rule.errno : 0;
  }

  /** Returns an opener whose files fail as ordered here, and else are those of an engine. */
  PageFileOpener over(PageFileOpener engine) {
    return (Path path, Access access, int blockBytes) ->
        new FaultyPageFile(engine.open(path, access, blockBytes), this);
  }
}
