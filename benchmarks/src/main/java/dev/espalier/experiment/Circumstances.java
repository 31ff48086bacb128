// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.cli.RunFacts;
import java.time.LocalDate;
import java.util.Map;

/**
 * What all experiments of one call of the command have in common.
 *
 * @param machine the machine, the JVM and the program, by name
 * @param cpu the processor
 * @param commit what the program was built from, or {@code unknown}
 * @param date of the run
 * @param quick whether trees were small and rounds were few
 */
public record Circumstances(
    Map<String, String> machine, String cpu, String commit, LocalDate date, boolean quick) {
  private static final int SHORT_COMMIT = 10;

  /** Returns those of this moment. */
  public static Circumstances now(boolean quick) {
    Map<String, String> machine = RunFacts.now(quick);
    return new Circumstances(
        machine,
        machine.getOrDefault("CPU", ""),
        machine.getOrDefault("commit", ""),
        LocalDate.parse(machine.getOrDefault("date", "")),
        quick);
  }

  /** Returns these without what is nobody's business: folders of the machine. */
  public Circumstances published() {
    return new Circumstances(RunFacts.published(machine), cpu, commit, date, quick);
  }

  /** Returns the line below a chart, without what only the experiment knows. */
  String footer() {
    return "%s · %s · commit %s%s".formatted(cpu, date, shortCommit(), quick ? " · quick" : "");
  }

  /** Returns the first digits of the commit, and whether files differed from it. */
  String shortCommit() {
    String hash = commit.substring(0, Math.min(SHORT_COMMIT, commit.length()));
    return commit.endsWith("local changes") ? hash + " with local changes" : hash;
  }

  /** Tells whether a run of these would give the same as one of the others, but for its noise. */
  boolean isSameRun(Circumstances other) {
    return !commit.equals("unknown")
        && !commit.endsWith("local changes")
        && commit.equals(other.commit)
        && cpu.equals(other.cpu)
        && quick == other.quick;
  }
}
