// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.patterns.Pattern;
import dev.espalier.patterns.PatternRun;
import dev.espalier.patterns.PatternTarget;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One structure in a JVM of its own. It takes patterns on standard input, with a seed, and answers
 * each by nanoseconds for an operation and the number of operations.
 */
final class PatternWorker {
  /** The first line. */
  static final String READY = "ready";

  /** The clock is read once for so many steps, where they are quick. */
  private static final int MOST_STEPS = 256;

  /** Steps that take less together are too quick for the clock. */
  private static final long LEAST_NANOS = 100_000;

  /** A pattern is warmed up with a part of its entries. */
  private static final int WARM_UP_PART = 4;

  private final Supplier<PatternTarget> structure;
  private final int size;
  private final long mostNanos;
  private final Set<Pattern> warm = EnumSet.noneOf(Pattern.class);

  /**
   * What was measured.
   *
   * @param nanos of an operation
   * @param operations that were done in the time
   */
  record Figure(double nanos, int operations) {
    static Figure parse(String line) {
      String[] fields = line.split(" ", -1);
      return new Figure(Double.parseDouble(fields[0]), Integer.parseInt(fields[1]));
    }

    @Override
    public String toString() {
      return nanos + " " + operations;
    }
  }

  /**
   * Makes a worker.
   *
   * @param size of each pattern, in entries and in operations
   * @param mostNanos after which no further step is begun
   */
  PatternWorker(Supplier<PatternTarget> structure, int size, long mostNanos) {
    this.structure = structure;
    this.size = size;
    this.mostNanos = mostNanos;
  }

  /** Takes form and name of the structure, the size of patterns, and the milliseconds of each. */
  public static void main(String[] args) throws IOException {
    NativeRequirement.check();
    PatternWorker worker =
        new PatternWorker(
            Objects.requireNonNull(Form.valueOf(args[0]).structures().get(args[1])),
            Integer.parseInt(args[2]),
            1_000_000 * Long.parseLong(args[3]));
    System.out.println(READY);
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      String[] fields = line.split(" ", -1);
      System.out.println(worker.measure(Pattern.valueOf(fields[0]), Long.parseLong(fields[1])));
    }
  }

  /** Measures a pattern; before the first time, a part of it is done to compile it. */
  Figure measure(Pattern pattern, long seed) {
    if (warm.add(pattern)) {
      run(pattern, Math.max(1, size / WARM_UP_PART), seed);
    }
    return run(pattern, size, seed);
  }

  private Figure run(Pattern pattern, int entries, long seed) {
    try (PatternTarget target = structure.get()) {
      PatternRun run = pattern.begin(target, entries, seed);
      run.prepare();
      int done = 0;
      int steps = 1;
      int more = 1;
      long start = System.nanoTime();
      long now = start;
      while (more > 0 && done < entries && now - start < mostNanos) {
        for (int i = 0; i < steps && more > 0 && done < entries; i++) {
          more = run.step();
          done += more;
        }
        long before = now;
        now = System.nanoTime();
        if (now - before < LEAST_NANOS) {
          steps = Math.min(MOST_STEPS, 2 * steps);
        }
      }
      return new Figure((double) (now - start) / done, done);
    }
  }
}
