// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.benchmarks.NativeRequirement;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One store in a JVM of its own. It takes the work, the distribution, the crew and the milliseconds
 * of a measurement on standard input, one a line, and answers each by a line with its {@link
 * Figure}. Before the first it says {@value #READY}.
 */
final class BoardWorker {
  static final String READY = "ready";

  private BoardWorker() {}

  /** Takes the store's name, and the kind, data, sync and entries of its setting. */
  public static void main(String[] args) throws IOException {
    NativeRequirement.check();
    Setting setting =
        new Setting(
            Setting.Kind.valueOf(args[1]),
            Setting.Data.valueOf(args[2]),
            Setting.Sync.valueOf(args[3]),
            Integer.parseInt(args[4]));
    try (MemoryGroup memory = setting.isBounded() ? MemoryGroup.join().orElse(null) : null;
        MeasuredStore store = new MeasuredStore(Stores.named(args[0]), setting, memory)) {
      System.out.println(READY);
      BufferedReader requests =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        String[] words = line.split(" ", -1);
        System.out.println(
            store
                .measure(
                    Work.valueOf(words[0]),
                    Distribution.valueOf(words[1]),
                    Crew.valueOf(words[2]),
                    Duration.ofMillis(Long.parseLong(words[3])))
                .line());
      }
    }
  }
}
