// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.cli.soak.SoakFailure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a soak says. {@link SignalTest} has what it says when it is told to end. */
final class SoakReportTest {
  private static final String DONE =
      "12,345 operations, 678 of them keys of batches, 50 images of crashes, 20 damaged copies, 10"
          + " stores with lying pages";

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Makes the report of a soak that has done what {@link #DONE} says. */
  static SoakReport report(PrintWriter out, PrintWriter err, Path folder) {
    CommandLine soak = new CommandLine(new Espalier()).getSubcommands().get("soak");
    soak.setOut(out).setErr(err);
    SoakCounts counts = new SoakCounts();
    counts.operations.add(12_345);
    counts.keysInBatches.add(678);
    counts.images.add(50);
    counts.copies.add(20);
    counts.lyingStores.add(10);
    return SoakReport.begin(soak.getCommandSpec(), counts, 7, folder);
  }

  private SoakReport report() {
    return report(new PrintWriter(out), new PrintWriter(err), folder);
  }

  @Test
  void saysHowFarItIsAndThatNothingIsWrong() {
    SoakReport report = report();
    report.printProgress(TimeUnit.SECONDS.toNanos(659));
    assertFalse(report.printEnd());
    assertEquals(
        "minute 10: %s (seed 7): nothing is wrong so far%n%s (seed 7): nothing is wrong%n"
            .formatted(DONE, DONE),
        out.toString());
    assertEquals("", err.toString());
  }

  @Test
  void saysAllThatIsWrong() {
    SoakReport report = report();
    report.add(new SoakFailure("one", "--shape A", null));
    report.add(new SoakFailure("two", "--shape B", null));
    assertTrue(report.printEnd());
    assertEquals("", out.toString());
    assertEquals(
        "espalier soak: one; to repeat it: ./espalier soak DIR --shape A%n".formatted()
            + "espalier soak: two; to repeat it: ./espalier soak DIR --shape B%n".formatted(),
        err.toString());
  }

  /** A finding that another thread's full device hid would be found again only by chance. */
  @Test
  void saysWhatIsWrongBesideAnObstacle() {
    SoakReport report = report();
    Error obstacle = new OutOfMemoryError("of a test");
    report.add(obstacle);
    report.add(new SoakFailure("one", "--shape A", null));
    assertTrue(report.printEnd());
    assertSame(obstacle, report.obstacle());
    assertTrue(err.toString().contains("one"), err::toString);
  }
}
