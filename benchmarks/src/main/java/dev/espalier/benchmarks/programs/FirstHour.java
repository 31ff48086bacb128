// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.cli.CommandFailure;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What a new user waits for: all in a clone, which is deleted afterwards. */
@Command(
    name = "first-hour",
    description =
        "What a new user waits for: the first result, the main job, the start; and what comes with"
            + " espalier-join.",
    mixinStandardHelpOptions = true)
public final class FirstHour implements Runnable {
  private static final double NANOS = 1e9;
  private static final int STARTS = 21;
  private static final String SECONDS = "| %s | `%s` | %.2f | %s |";
  private static final String BYTES = "| %s | `%s` | %,d | %s |";

  /** What the script of the consumer says of it. */
  private static final Pattern COMES_WITH = Pattern.compile("comes with ([0-9]+) bytes");

  private final String git;
  private final Path root;

  @Mixin private final Publication publication = new Publication();

  private FirstHour() {
    // The script changes into the repository.
    this("git", Path.of("").toAbsolutePath());
  }

  FirstHour(String git, Path root) {
    this.git = git;
    this.root = root;
  }

  /** Measures, and ends the process. */
  public static void main(String[] arguments) {
    System.exit(Program.execute(new FirstHour(), arguments));
  }

  @Override
  public void run() {
    TemporaryFolder folder = new TemporaryFolder("first-hour");
    try {
      publication.print(table(folder.path(), folder.path().resolve("espalier")));
      publication.write();
    } finally {
      folder.delete();
    }
  }

  private PrintedTable table(Path folder, Path clone) {
    PrintedTable table = PrintedTable.inMarkdown(SECONDS, "what", "command", "measured", "unit");
    double first =
        seconds(folder, git, "clone", "--quiet", root.toString(), clone.toString())
            + seconds(clone, "./espalier", "join");
    table.add("from a fresh clone to the first result", "git clone, ./espalier join", first, "s");
    table.add("the main job, built", "./espalier join", seconds(clone, "./espalier", "join"), "s");
    table.add("start, median of " + STARTS, "./espalier --help", start(clone), "s");
    String consumer = output(clone, "integration/consumer/run");
    Matcher bytes = COMES_WITH.matcher(consumer);
    if (!bytes.find()) {
      throw new CommandFailure("integration/consumer/run tells no size: " + consumer);
    }
    table.addAs(
        BYTES,
        "what comes with espalier-join",
        "integration/consumer/run",
        Long.parseLong(bytes.group(1)),
        "bytes");
    return table;
  }

  private static double start(Path clone) {
    double[] all =
        DoubleStream.generate(() -> seconds(clone, "./espalier", "--help"))
            .limit(STARTS)
            .sorted()
            .toArray();
    return all[STARTS / 2];
  }

  private static double seconds(Path folder, String... words) {
    long begin = System.nanoTime();
    output(folder, words);
    double seconds = (System.nanoTime() - begin) / NANOS;
    System.err.printf(Locale.ROOT, "%.2f s%n", seconds);
    return seconds;
  }

  /** Runs a program of a folder, and says so. */
  private static String output(Path folder, String... words) {
    System.err.println(String.join(" ", words));
    return Program.output(folder, List.of(words));
  }
}
