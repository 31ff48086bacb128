// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong in one life of a process on a {@link SimulatedDisk}. Operations are numbered from
 * 1 in each life.
 *
 * @param crashAt number of the operation during which the life ends, 0 if none ends it
 * @param losesPower whether it ends by a power loss, else by a kill
 * @param failures operations that fail
 */
record CrashPlan(long crashAt, boolean losesPower, List<Failure> failures) {

  /** Nothing goes wrong. */
  static final CrashPlan NOTHING = new CrashPlan(0, false, List.of());

  /**
   * An operation that fails, where it can do so in this way.
   *
   * @param number of the operation, 0 for all of a kind
   * @param kind of the operations, null for all kinds
   * @param chance that it fails
   */
  record Failure(DiskFault fault, long number, @Nullable DiskOperation kind, double chance) {

    boolean befalls(long operation, DiskOperation doing, RandomGenerator random) {
      return fault.suits(doing)
          && (number == 0 || number == operation)
          && (kind == null || kind == doing)
          && (chance == 1 || random.nextDouble() < chance);
    }
  }

  CrashPlan {
    if (crashAt < 0) {
      throw new IllegalArgumentException(
          "operation to crash at is " + crashAt + "; it must not be negative");
    }
    failures = List.copyOf(failures);
  }

  /** The power is lost during an operation. */
  static CrashPlan powerLossAt(long operation) {
    return new CrashPlan(operation, true, List.of());
  }

  /** The process is killed during an operation; the system and its page cache live on. */
  static CrashPlan killAt(long operation) {
    return new CrashPlan(operation, false, List.of());
  }

  /** The process is killed during an operation, or, three times as often, the power is lost. */
  static CrashPlan at(long operation, long seed) {
    boolean isKill = new SplittableRandom(seed).nextInt(4) == 0;
    return isKill ? killAt(operation) : powerLossAt(operation);
  }

  /** Also lets an operation fail; nothing happens if one of its kind can't fail in this way. */
  CrashPlan failing(DiskFault fault, long operation) {
    if (operation < 1) {
      throw new IllegalArgumentException(
          "operation to fail is " + operation + "; it must be positive");
    }
    return with(new Failure(fault, operation, null, 1));
  }

  /** Also lets each operation of a kind fail with some probability. */
  CrashPlan failingAtRandom(DiskFault fault, DiskOperation kind, double chance) {
    if (!fault.suits(kind)) {
      throw new IllegalArgumentException(kind + " can't fail by " + fault);
    }
    return with(new Failure(fault, 0, kind, chance));
  }

  private CrashPlan with(Failure failure) {
    List<Failure> all = new ArrayList<>(failures);
    all.add(failure);
    return new CrashPlan(crashAt, losesPower, all);
  }

  /** Returns how an operation goes wrong, null if it does not. */
  @Nullable DiskFault faultAt(long operation, DiskOperation doing, RandomGenerator random) {
    for (Failure failure : failures) {
      if (failure.befalls(operation, doing, random)) {
        return failure.fault;
      }
    }
    return null;
  }
}
