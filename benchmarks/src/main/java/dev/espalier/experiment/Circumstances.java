// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.benchmarks.Header;
import dev.espalier.cli.MachineDescription;
import dev.espalier.cli.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

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

  /** What is told of the machine and the program; other facts hold names of folders. */
  private static final Set<String> FACTS =
      Set.of("CPU", "JDK", "machine", "SIMD", "caches", "commit", "date", "effort");

  /** Returns those of this moment. */
  public static Circumstances now(boolean quick) {
    Map<String, String> facts = Header.facts();
    String cpu = facts.getOrDefault("CPU", "");
    String commit = facts.getOrDefault("commit", "");
    LocalDate date = LocalDate.now(ZoneOffset.UTC);
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("CPU", cpu);
    machine.putAll(MachineDescription.all());
    machine.put("version", version());
    machine.put("commit", commit);
    machine.put("date", date.toString());
    machine.put("effort", quick ? "quick" : "full");
    return new Circumstances(machine, cpu, commit, date, quick);
  }

  /** Returns these without what is nobody's business: folders of the machine. */
  public Circumstances published() {
    Map<String, String> facts = new LinkedHashMap<>(machine);
    facts.keySet().retainAll(FACTS);
    return new Circumstances(facts, cpu, commit, date, quick);
  }

  private static String version() {
    try {
      return String.join(" ", new Version().getVersion());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
