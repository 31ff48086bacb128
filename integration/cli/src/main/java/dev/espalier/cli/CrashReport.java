// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a crash test has found so far. */
final class CrashReport {
  private long rounds;
  private long killed;
  private long acknowledged;
  private long lost;
  private long wrong;
  private long unopenable;
  private final List<Failure> failures = new ArrayList<>();

  /** How a store has failed, which can be looked at. */
  record Failure(Path store, String variant, long seed, String what) {}

  /** What a round has found. */
  enum Finding {
    SOUND,
    LOST,
    WRONG,
    UNOPENABLE
  }

  /** How a round has ended. */
  record Outcome(Finding finding, long lostSteps, String what) {
    static final Outcome SOUND = new Outcome(Finding.SOUND, 0, "");

    static Outcome lost(long steps, String what) {
      return new Outcome(Finding.LOST, steps, what);
    }

    static Outcome wrong(String what) {
      return new Outcome(Finding.WRONG, 0, what);
    }

    static Outcome unopenable(String what) {
      return new Outcome(Finding.UNOPENABLE, 0, what);
    }
  }

  void addKill() {
    killed++;
  }

  /** Adds a round, in which so many steps were acknowledged. */
  void addRound(Outcome outcome, long steps) {
    rounds++;
    acknowledged += steps;
    lost += outcome.lostSteps();
    wrong += outcome.finding() == Finding.WRONG ? 1 : 0;
    unopenable += outcome.finding() == Finding.UNOPENABLE ? 1 : 0;
  }

  void addFailure(Failure failure) {
    failures.add(failure);
  }

  List<Failure> failures() {
    return List.copyOf(failures);
  }

  long rounds() {
    return rounds;
  }

  long killed() {
    return killed;
  }

  /** Returns the steps that commits acknowledged. */
  long acknowledged() {
    return acknowledged;
  }

  /** Returns the steps that were acknowledged and are not there. */
  long lost() {
    return lost;
  }

  /** Returns the rounds after which a store was damaged or had other entries than the plan says. */
  long wrong() {
    return wrong;
  }

  /** Returns the rounds after which a store could not be opened. */
  long unopenable() {
    return unopenable;
  }

  Map<String, Object> toJson() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("rounds", rounds);
    object.put("killed", killed);
    object.put("acknowledged", acknowledged);
    object.put("lost", lost);
    object.put("wrong", wrong);
    object.put("unopenable", unopenable);
    object.put("seeds", failures.stream().map(Failure::seed).toList());
    return object;
  }
}
