// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.PageFiles;
import dev.espalier.model.MemoryTimes;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Prefetch;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class DoctorCommandTest {

  private static final String CACHE = "espalier.cache";

  @TempDir private Path folder;

  @AfterEach
  void useTheUsersCacheAgain() {
    System.clearProperty(CACHE);
  }

  /** Runs the command with measurements that are made up. */
  private static CommandRun doctor(List<MemoryTimes> measurements, String... arguments) {
    Iterator<MemoryTimes> next = measurements.iterator();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        new CommandLine(new DoctorCommand(next::next))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    assertFalse(next.hasNext());
    return new CommandRun(status, out.toString(), err.toString());
  }

  private static List<MemoryTimes> measurements(double... t1) {
    return DoubleStream.of(t1).mapToObj(time -> new MemoryTimes(time, 10)).toList();
  }

  private List<String> savedFiles() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  @Tag("thorough")
  void reportsEveryPartOfTheMachineAndSavesNothing() throws IOException {
    System.setProperty(CACHE, folder.toString());
    CommandRun run = CommandRun.of("doctor");
    assertEquals(0, run.status(), run.err());
    assertEquals("", run.err());
    List<String> names = run.out().lines().map(line -> line.substring(0, 15).strip()).toList();
    assertEquals(
        List.of(
            "JDK",
            "Machine",
            "Prefetch",
            "Virtual memory",
            "I/O",
            "Page cache",
            "Pool",
            "SIMD",
            "Huge pages",
            "Caches",
            "T1",
            "Tnext",
            "Saved"),
        names);
    assertTrue(line(run, "JDK").contains(Runtime.version().toString()));
    assertTrue(line(run, "Prefetch").startsWith(Prefetch.isNative() ? "on: " : "off: "));
    assertEquals(PageFiles.status().toString(), line(run, "I/O"));
    assertTrue(line(run, "Pool").contains(" MiB at most for all files: a quarter of "));
    assertTrue(line(run, "SIMD").startsWith(Keys.SIMD ? "on, " : "off: "));
    assertTrue(line(run, "T1").matches("\\d+\\.\\d ns"));
    assertTrue(line(run, "Tnext").matches("\\d+\\.\\d ns"));
    assertTrue(line(run, "Saved").startsWith("no; --save saves "), line(run, "Saved"));
    assertEquals(List.of(), savedFiles());
  }

  @Test
  void savesTheMedianOfMeasurementsThatAgree() throws IOException {
    System.setProperty(CACHE, folder.toString());
    CommandRun run = doctor(measurements(101, 102, 103, 104, 105), "--save");
    assertEquals(0, run.status(), run.err());
    assertEquals("103.0 ns", line(run, "T1"));
    assertEquals(1, savedFiles().size());
    Path saved = folder.resolve(savedFiles().getFirst());
    assertEquals("T1 and Tnext, in " + saved, line(run, "Saved"));
    assertTrue(Files.readString(saved).contains("103.0"), Files.readString(saved));
  }

  @Test
  void savesNothingIfMeasurementsDisagree() throws IOException {
    System.setProperty(CACHE, folder.toString());
    CommandRun run = doctor(measurements(100, 100, 150, 100, 100), "--save");
    assertEquals(1, run.status(), run.err());
    assertEquals(
        "no: 5 measurements differ: T1 from 100.0 to 150.0 ns, Tnext from 10.0 to 10.0 ns; try"
            + " again while the machine is idle",
        line(run, "Saved"));
    assertEquals(List.of(), savedFiles());
  }

  @Test
  void folderThatCannotBeWrittenIsExplained() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    System.setProperty(CACHE, file.toString());
    CommandRun run = doctor(measurements(100, 100, 100, 100, 100), "--save");
    assertEquals(1, run.status(), run.err());
    String saved = line(run, "Saved");
    assertTrue(saved.startsWith("no: ") && saved.contains(file.toString()), saved);
  }

  @Test
  @Tag("thorough")
  void engineThatIsAskedForButCannotRunIsNamedAsTheReason() throws Exception {
    List<String> command =
        new ArrayList<>(ChildProcess.command(List.of("-Despalier.io=uring"), "doctor"));
    command.remove("--enable-native-access=ALL-UNNAMED");
    CommandRun run = ChildProcess.start(folder, command).await();
    assertEquals(0, run.status(), run.err());
    String io = line(run, "I/O");
    assertTrue(
        io.startsWith(
            "no index file can be opened: the system property espalier.io is uring, but it can't"
                + " run: "),
        io);
    assertTrue(io.contains("--enable-native-access"), io);
  }

  @Test
  void jdkWhoseCollectorMovesPinnedArraysIsToBeUpdated() {
    assertEquals(
        "; warning: its collector G1 may move arrays that native code reads (JDK-8377811); update"
            + " to 25.0.3 or later",
        DoctorCommand.warning(Runtime.Version.parse("25.0.2"), true));
    assertEquals("", DoctorCommand.warning(Runtime.Version.parse("25.0.2"), false));
    assertEquals("", DoctorCommand.warning(Runtime.Version.parse("25.0.3"), true));
  }

  private static String line(CommandRun run, String name) {
    return run.out()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .findFirst()
        .orElseThrow()
        .substring(16);
  }
}
