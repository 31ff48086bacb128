// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
      Map<String, List<Long>> counts = new LinkedHashMap<>();
      progress.show("simulating", 0);
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String[] fields = line.split(SEPARATOR);
        counts.put(fields[0], Arrays.stream(fields).skip(1).map(Long::valueOf).toList());
        progress.show(fields[0], (double) counts.size() / works);
      }
      if (process.waitFor() != 0) {
        throw new IllegalStateException("a simulation failed: " + Files.readString(errors));
      }
      return new SimulatedCounts(counts);
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
      StringJoiner line = new StringJoiner(SEPARATOR).add(work.setting());
      work.body().get().forEach(count -> line.add(count.toString()));
      System.out.println(line);
    }
  }
}
