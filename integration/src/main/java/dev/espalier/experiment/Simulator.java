// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.simulation.HierarchyCounters;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Runs simulations in JVMs of their own: whether a JVM traces is chosen when it starts. It needs
 * neither native code nor vectors, which would only hide accesses from the trace, so this JVM's
 * other options do not matter to it.
 */
public final class Simulator {
  private static final String SEPARATOR = "\t";

  private Simulator() {}

  /**
   * Runs all simulated work of an experiment, which is one of {@link Experiments#all}.
   *
   * @return what was counted for each piece of work
   * @throws ExperimentException if no JVM can be started
   * @throws IllegalStateException if the simulation fails; with all that it printed
   */
  public static SimulatedCounts run(Simulated experiment, Effort effort, Progress progress) {
    return run(command(experiment, effort), experiment.works(effort).size(), progress);
  }

  /** Runs a command that prints a line for each of so many pieces of work. */
  static SimulatedCounts run(List<String> command, int works, Progress progress) {
    try {
      Path errors = Files.createTempFile("espalier-simulation", ".log");
      try {
        return run(command, errors, works, progress);
      } finally {
        Files.delete(errors);
      }
    } catch (IOException e) {
      throw new ExperimentException(
          "no JVM can be started for the simulation: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExperimentException("interrupted during a simulation", e);
    }
  }

  private static List<String> command(Simulated experiment, Effort effort) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Despalier.trace=true",
        "-Despalier.native=off",
        "-cp",
        System.getProperty("java.class.path"),
        Simulator.class.getName(),
        experiment.description().name(),
        Integer.toString(effort.entries()),
        Integer.toString(effort.probes()));
  }

  private static SimulatedCounts run(
      List<String> command, Path errors, int works, Progress progress)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      Map<String, HierarchyCounters> counters = new LinkedHashMap<>();
      progress.show("simulating", 0);
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String[] fields = line.split(SEPARATOR);
        counters.put(fields[0], counters(fields));
        progress.show(fields[0], (double) counters.size() / works);
      }
      if (process.waitFor() != 0) {
        throw new IllegalStateException("a simulation failed: " + Files.readString(errors));
      }
      return new SimulatedCounts(counters);
    } finally {
      process.destroy();
    }
  }

  /** Prints a line per piece of work. Takes the experiment's name, entries and probes. */
  public static void main(String[] args) {
    Simulated experiment =
        Experiments.all().stream()
            .filter(one -> one.description().name().equals(args[0]))
            .map(Simulated.class::cast)
            .findFirst()
            .orElseThrow();
    Effort effort = new Effort(Integer.parseInt(args[1]), Integer.parseInt(args[2]), 1);
    for (SimulatedWork work : experiment.works(effort)) {
      System.out.println(line(work.setting(), work.body().get()));
    }
  }

  private static String line(String setting, HierarchyCounters counters) {
    StringJoiner line = new StringJoiner(SEPARATOR);
    line.add(setting);
    for (long count :
        new long[] {
          counters.accesses(),
          counters.l1Misses(),
          counters.l2Misses(),
          counters.prefetches(),
          counters.uselessPrefetches(),
          counters.droppedPrefetches(),
          counters.memoryLines(),
          counters.tlbMisses(),
          counters.stallCycles(),
          counters.busyCycles()
        }) {
      line.add(Long.toString(count));
    }
    return line.toString();
  }

  private static HierarchyCounters counters(String[] fields) {
    long[] counts = new long[fields.length];
    for (int i = 1; i < fields.length; i++) {
      counts[i] = Long.parseLong(fields[i]);
    }
    return new HierarchyCounters(
        counts[1],
        counts[2],
        counts[3],
        counts[4],
        counts[5],
        counts[6],
        counts[7],
        counts[8],
        counts[9],
        counts[10]);
  }
}
