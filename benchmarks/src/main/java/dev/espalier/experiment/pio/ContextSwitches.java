// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.ExperimentException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** How often the threads of this process have given up the processor or lost it (Linux). */
final class ContextSwitches {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** Switches of threads by their number, when this was made. */
  private final Map<String, Long> before = now();

  /** Returns the switches since this was made, of all threads that are there now. */
  long since() {
    long switches = 0;
    for (Map.Entry<String, Long> thread : now().entrySet()) {
      switches += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
    }
    return switches;
  }

  private static Map<String, Long> now() {
    Map<String, Long> switches = new HashMap<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(TASKS)) {
      for (Path thread : threads) {
        switches.put(String.valueOf(thread.getFileName()), of(thread.resolve("status")));
      }
    } catch (IOException e) {
      throw new ExperimentException("context switches can't be counted here: " + e, e);
    }
    return switches;
  }

  /** Returns those of one thread; none if it has just ended. */
  private static long of(Path status) {
    try {
      return Files.readAllLines(status).stream()
          .filter(line -> line.contains("voluntary_ctxt_switches:")) // the others: nonvoluntary
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
          .sum();
    } catch (IOException ended) {
      return 0;
    }
  }
}
