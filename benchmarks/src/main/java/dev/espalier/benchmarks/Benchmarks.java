// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.benchmarks.peer.Peers;
import java.io.IOException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs the JMH benchmarks after a header. Takes JMH's options ({@code -h} lists them); without
 * {@code -p index=}, the benchmarks run for every structure on the class path.
 *
 * <p>Benchmarks run in JVMs with the flags of this one.
 */
public final class Benchmarks {
  private static final String INDEX = "index";

  private Benchmarks() {}

  /** Runs the benchmarks; the exit status is 1 if something is wrong before or while they run. */
  public static void main(String[] args) throws IOException {
    try {
      run(args);
    } catch (CommandLineOptionException | RunnerException | IllegalStateException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  static void run(String... args) throws CommandLineOptionException, RunnerException, IOException {
    CommandLineOptions options = new CommandLineOptions(args);
    if (options.shouldHelp()) {
      options.showHelp();
      return;
    }
    if (options.shouldList()) {
      new Runner(options).list();
      return;
    }
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    OptionsBuilder all = new OptionsBuilder();
    all.parent(options);
    if (!options.getParameter(INDEX).hasValue()) {
      all.param(INDEX, Peers.names().toArray(String[]::new));
    }
    new Runner(all.build()).run();
  }
}
