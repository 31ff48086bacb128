// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.cli.soak.SoakFailure;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What a soak says: now and then how far it is, and in the end what came of it, or what was done
 * until the process was told to end. Threads may use it at once.
 */
final class SoakReport {
  private final CommandSpec spec;
  private final SoakCounts counts;
  private final long seed;
  private final Path folder;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final Runnable earlyEnd = this::printEarlyEnd;

  private SoakReport(CommandSpec spec, SoakCounts counts, long seed, Path folder) {
    this.spec = spec;
    this.counts = counts;
    this.seed = seed;
    this.folder = folder;
  }

  /**
   * Begins: from now on until {@link #printEnd}, it is printed what was done so far if the process
   * is told to end.
   *
   * @param spec the command, which has a name and where to print
   * @param seed the number that all else follows from
   * @param folder that is kept if anything is wrong
   */
  static SoakReport begin(CommandSpec spec, SoakCounts counts, long seed, Path folder) {
    SoakReport report = new SoakReport(spec, counts, seed, folder);
    Interruption.doAtEnd(report.earlyEnd);
    return report;
  }

  /** Returns the folder that is kept if anything is wrong. */
  Path folder() {
    return folder;
  }

  /** Takes what was thrown: a {@link SoakFailure} if anything is wrong, or why it can't go on. */
  void add(Throwable failure) {
    failures.add(failure);
  }

  /** Tells whether anything was thrown. */
  boolean hasFailures() {
    return !failures.isEmpty();
  }

  /** Returns the first reason why it could not go on, with the others; null if there is none. */
  @Nullable Throwable obstacle() {
    Throwable first = null;
    for (Throwable failure : failures) {
      if (first == null) {
        first = failure instanceof SoakFailure ? null : failure;
      } else if (!(failure instanceof SoakFailure) && !failure.equals(first)) {
        first.addSuppressed(failure);
      }
    }
    return first;
  }

  /** Prints how far it is. */
  void printProgress(long nanosPassed) {
    Interruption.uninterrupted(
        () -> {
          print(
              "minute %,d: %s (seed %d): nothing is wrong so far"
                  .formatted(TimeUnit.NANOSECONDS.toMinutes(nanosPassed), counts, seed));
          return true;
        });
  }

  /**
   * Prints what is wrong, or that nothing is.
   *
   * @return whether anything is wrong
   */
  boolean printEnd() {
    Interruption.forget(earlyEnd);
    boolean isWrong = printFindings();
    if (!hasFailures()) {
      print("%s (seed %d): nothing is wrong".formatted(counts, seed));
    }
    return isWrong;
  }

  /** Prints what was done until the process was told to end, and what is wrong, if anything is. */
  private void printEarlyEnd() {
    boolean isWrong = printFindings();
    Throwable obstacle = obstacle();
    if (obstacle != null) {
      printError(obstacle.toString());
    }
    print(
        "ended early: %s (seed %d)%s"
            .formatted(counts, seed, isWrong ? "" : ": nothing is wrong so far"));
  }

  private boolean printFindings() {
    boolean isWrong = failures.stream().anyMatch(SoakFailure.class::isInstance);
    if (isWrong) {
      Interruption.keep(List.of(folder));
    }
    for (Throwable failure : failures) {
      if (failure instanceof SoakFailure) {
        printError(String.valueOf(failure.getMessage()));
      }
    }
    return isWrong;
  }

  private void printError(String message) {
    PrintWriter err = spec.commandLine().getErr();
    err.printf("%s: %s%n", spec.qualifiedName(), message);
    err.flush();
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
