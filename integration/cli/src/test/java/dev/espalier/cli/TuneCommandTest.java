// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.inspect.NodeView;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOptions;
import dev.espalier.io.MeasuredDevice;
import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PageTimes;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import dev.espalier.pio.PioBTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TuneCommandTest {
  private static final String CACHE = "espalier.cache";
  private static final List<Double> TIMES = List.of(80e3, 80e3, 80e3, 80e3, 80e3, 160e3, 320e3);

  @TempDir private Path folder;
  private final String configured = System.getProperty(CACHE, "");
  private Path cache;
  private DeviceProfile kept;

  /** Keeps made-up times for the device of the folder, so that the command measures nothing. */
  @BeforeEach
  void keepFigures() throws IOException {
    cache = folder.resolve("cache");
    System.setProperty(CACHE, cache.toString());
    String device = MeasuredDevice.of(folder).profile().device();
    kept = new DeviceProfile(device, List.of(new PageTimes(4096, TIMES, TIMES)));
    kept.save();
  }

  @AfterEach
  void keepFiguresWhereTheyWere() {
    System.setProperty(CACHE, configured);
  }

  private CommandRun tune(String... more) {
    return CommandRun.of(
        Stream.concat(Stream.of("tune", folder.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  private static String line(CommandRun run, String name) {
    return run.out()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .findFirst()
        .orElseThrow()
        .substring(9);
  }

  @Test
  @Tag("thorough")
  void showsTheTimesThatAreKeptAndWhatTheModelChooses() {
    CommandRun run = tune("--entries", "10000000", "--updates", "0.9", "--memory", "16M");
    assertEquals(0, run.status(), run.err());
    PioChoice choice = PioChoice.of(kept, new PioWork(10_000_000, 0.9, 16 << 20));
    assertEquals(kept.device(), line(run, "Device"));
    assertEquals("measured before, and kept", line(run, "Times"));
    assertTrue(run.out().lines().anyMatch(line -> line.matches(" *4,096 +64 +320.0 +320.0")));
    assertEquals("4,096 bytes", line(run, "Pages"));
    assertEquals(choice.leafPages() + " pages", line(run, "Leaves"));
    assertEquals(choice.queuePages() + " pages", line(run, "Queue"));
    assertEquals("16 pages (PioMax)", line(run, "At once"));
    assertEquals(choice.reason(), line(run, "Reason"));
  }

  @Tag("thorough")
  @Test
  void moreUpdatesHaveAnotherQueue() {
    assertEquals("1 pages", line(tune("--updates", "0"), "Queue"));
    assertTrue(!line(tune("--updates", "1"), "Queue").equals("1 pages"));
  }

  @Test
  @Tag("thorough")
  void damagedTimesAreMeasuredAgain() throws IOException {
    try (Stream<Path> files = Files.list(cache)) {
      for (Path file : files.toList()) {
        Files.writeString(file, "damaged");
      }
    }
    CommandRun run = tune();
    assertEquals(0, run.status(), run.err());
    assertTrue(line(run, "Times").startsWith("measured now, and kept in " + cache), run.out());
    assertEquals("measured before, and kept", line(tune(), "Times"));
    assertTrue(line(tune("--again"), "Times").startsWith("measured now"));
  }

  @Tag("thorough")
  @Test
  void jsonHasChoiceTimesAndReason() throws IOException {
    Path json = folder.resolve("out.json");
    CommandRun run = tune("--json", json.toString());
    assertEquals(0, run.status(), run.err());
    String text = Files.readString(json);
    for (String name : List.of("\"pageBytes\"", "\"queuePages\"", "\"readNanos\"", "\"reason\"")) {
      assertTrue(text.contains(name), text);
    }
  }

  @Test
  void whatIsNoFolderIsExplained() {
    Path nowhere = folder.resolve("nowhere");
    assertEquals(
        new CommandRun(1, "", "espalier tune: %s: is no folder%n".formatted(nowhere)),
        CommandRun.of("tune", nowhere.toString()));
  }

  /** Large leaves cost nothing on this device, and an index that is only read has a small queue. */
  @Test
  @Tag("thorough")
  void loadedTreeHasTheProportionsThatSuitTheDevice() throws IOException {
    Path input = folder.resolve("entries.csv");
    Files.write(input, LongStream.range(0, 20_000).mapToObj(key -> key + "," + key).toList());
    for (double updates : new double[] {0, 0.9}) {
      Path file = folder.resolve("index" + updates);
      CommandRun run =
          CommandRun.of(
              "load",
              file.toString(),
              input.toString(),
              "--pool",
              "512K",
              "--updates",
              "" + updates);
      assertEquals(0, run.status(), run.err());
      PioChoice choice = PioChoice.of(kept, new PioWork(20_000, updates, 512 << 10));
      try (LongIndex index = Espalier.open(file, FileOptions.DEFAULT)) {
        assertEquals(PioBTree.VARIANT.name(), index.variant().name());
        assertEquals(20_000, index.size());
        NodeView leaf = index.rootView();
        while (leaf.level() > 0) {
          leaf = leaf.child(0);
        }
        assertEquals(225 * choice.leafPages(), leaf.capacity());
      }
    }
  }
}
