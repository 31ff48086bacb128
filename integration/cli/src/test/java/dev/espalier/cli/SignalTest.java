// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonParser;
import dev.espalier.TestSize;
import dev.espalier.cli.soak.SoakFailure;
import dev.espalier.io.FileOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Commands that are told to end at random moments. Whenever that is, there is no file afterwards,
 * or one that is sound, and nothing else is left.
 */
final class SignalTest {
  private static final int ENTRIES = 100_000;

  /** Parts of the time that a command takes, each with a moment. */
  private static final int MOMENTS = TestSize.of(1, 20);

  private static final Pattern ADDED = Pattern.compile("has the first ([0-9,]+) entries");

  /** Gives the signal its default action back, which a shell may have taken from its children. */
  private static final List<String> ENV = List.of("env", "--default-signal=INT");

  @TempDir private static Path inputs;

  private static Path even;
  private static Path odd;

  /** What the commands make. */
  @TempDir private Path folder;

  /** What the processes say. */
  @TempDir private Path streams;

  @BeforeAll
  static void writeInputs() throws IOException, InterruptedException {
    Process env =
        new ProcessBuilder(Stream.concat(ENV.stream(), Stream.of("true")).toList()).start();
    assumeTrue(env.waitFor() == 0, "env of this system has no --default-signal");
    even = inputs.resolve("even.csv");
    odd = inputs.resolve("odd.csv");
    Random random = new Random(1);
    write(even, 0, random);
    write(odd, 1, random);
  }

  /** Writes the even or the odd keys, shuffled. */
  private static void write(Path file, int parity, Random random) throws IOException {
    List<String> lines = new ArrayList<>();
    for (long key = 0; key < ENTRIES; key++) {
      lines.add(2 * key + parity + "," + key);
    }
    Collections.shuffle(lines, random);
    Files.write(file, lines);
  }

  private Path index() {
    return folder.resolve("index.esp");
  }

  /** Runs a command on the index file to its end, and returns how many nanoseconds that took. */
  private long timeOf(List<String> command) throws IOException, InterruptedException {
    long start = System.nanoTime();
    ChildProcess.run(streams, command);
    return System.nanoTime() - start;
  }

  private static List<String> command(String... arguments) {
    return Stream.concat(ENV.stream(), ChildProcess.command(List.of(), arguments).stream())
        .toList();
  }

  /**
   * Returns moments that are spread over the time a command takes: the day's third of them in a
   * thorough run.
   */
  private static List<Long> moments(long nanos, String seed) {
    Random random = new Random(seed.hashCode());
    List<Long> moments = new ArrayList<>();
    for (int i = 0; i < MOMENTS; i++) {
      moments.add((long) ((i + random.nextDouble()) / MOMENTS * nanos));
    }
    return Arrays.stream(TestSize.seeds(seed, MOMENTS, MOMENTS))
        .mapToObj(i -> moments.get((int) i))
        .toList();
  }

  /** Starts a command, sends a signal after a while, and returns how it ended. */
  private CommandRun interrupted(List<String> command, long nanos, String signal, int status)
      throws IOException, InterruptedException {
    ChildProcess child = ChildProcess.start(streams, command);
    TimeUnit.NANOSECONDS.sleep(nanos);
    child.signal(signal);
    CommandRun run = child.await();
    assertTrue(
        run.status() == status || run.status() == 0 || endedByItsMachine(run),
        () -> "ended with " + run);
    assertTrue(!run.err().contains("Exception"), run.err());
    return run;
  }

  /** Tells whether the signal met a virtual machine that could not yet take one. */
  private static boolean endedByItsMachine(CommandRun run) {
    return run.status() == 1 && run.out().startsWith("Error occurred during initialization of VM");
  }

  private Set<String> filesMade() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      Set<String> names = new TreeSet<>();
      files.forEach(file -> names.add(file.getFileName().toString()));
      return names;
    }
  }

  /** Returns how many entries the index file has, which must be sound. */
  private long entries() {
    CommandRun verify = CommandRun.of("verify", index().toString());
    assertEquals(0, verify.status(), verify.out() + verify.err());
    IndexSummary file = IndexFiles.describe(index(), FileOptions.DEFAULT);
    assertTrue(file.isClean(), "the file was not closed");
    return file.entries();
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  @Tag("thorough")
  void interruptedLoadLeavesNothingOrAllOfIt(String signal, int status) throws Exception {
    List<String> load = command("load", index().toString(), even.toString(), "--page-size", "4K");
    long nanos = timeOf(load);
    for (long moment : moments(nanos, signal)) {
      Files.deleteIfExists(index());
      CommandRun run = interrupted(load, moment, signal, status);
      if (run.status() == 0 || Files.exists(index())) {
        assertEquals(ENTRIES, entries());
        assertEquals(Set.of("index.esp"), filesMade());
      } else {
        assertEquals(Set.of(), filesMade());
      }
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void interruptedAppendClosesTheFileAndSaysHowMuchIsIn(String signal, int status)
      throws Exception {
    Path before = inputs.resolve("before-" + signal + ".esp");
    ChildProcess.run(
        streams, command("load", before.toString(), even.toString(), "--page-size", "4K"));
    List<String> append =
        command("load", index().toString(), odd.toString(), "--append", "--pool", "256K");
    Files.copy(before, index());
    long nanos = timeOf(append);
    for (long moment : moments(nanos, signal)) {
      Files.delete(index());
      Files.copy(before, index());
      CommandRun run = interrupted(append, moment, signal, status);
      long added = entries() - ENTRIES;
      Matcher said = ADDED.matcher(run.err());
      if (said.find()) {
        assertEquals(Long.parseLong(said.group(1).replace(",", "")), added);
      } else {
        assertTrue(added == 0 || added == ENTRIES, "without a word added " + added);
      }
      assertEquals(Set.of("index.esp"), filesMade());
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void interruptedJoinDeletesTheFileThatItMade(String signal, int status) throws Exception {
    List<String> join =
        command(
            "join",
            "--file",
            index().toString(),
            "--scale",
            "0.02",
            "--passes",
            "1",
            "--warm-up",
            "1000",
            "--json",
            folder.resolve("join.json").toString());
    long nanos = timeOf(join);
    for (long moment : moments(nanos, signal)) {
      Files.deleteIfExists(index());
      Files.deleteIfExists(folder.resolve("join.json"));
      CommandRun run = interrupted(join, moment, signal, status);
      if (run.status() == 0 || Files.exists(index())) {
        assertEquals(30_000, entries());
        boolean hasJson = filesMade().contains("join.json");
        assertTrue(hasJson || run.status() != 0, run.err());
        if (hasJson) { // The signal may have come when all was done.
          JsonParser.parseString(Files.readString(folder.resolve("join.json"))).getAsJsonObject();
        }
      } else {
        assertEquals(Set.of(), filesMade());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  @Tag("thorough")
  void interruptedSoakSaysWhatWasDoneAndLeavesNothing(String signal, int status) throws Exception {
    ChildProcess child =
        ChildProcess.start(
            streams, command("soak", folder.toString(), "--threads", "2", "--seed", "7"));
    while (child.isAlive() && filesMade().isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    child.signal(signal);
    CommandRun run = child.await();
    assertEquals(status, run.status(), run.err());
    assertEquals("", run.err());
    assertTrue(
        run.out()
            .matches(
                "ended early: [0-9,]+ operations, .* lying pages \\(seed 7\\): nothing is wrong"
                    + " so far\n"),
        run.out());
    assertEquals(Set.of(), filesMade());
  }

  @Test
  void interruptedSoakSaysWhatIsWrongAndKeepsItsFiles() throws Exception {
    Path used = folder.resolve("used");
    List<String> command = new ArrayList<>(ChildProcess.command(List.of(), used.toString()));
    command.set(command.size() - 2, Finder.class.getName());
    ChildProcess child = ChildProcess.start(streams, command);
    while (child.isAlive() && !Files.exists(used.resolve("found"))) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    child.signal("TERM");
    CommandRun run = child.await();
    assertEquals(143, run.status());
    assertEquals(
        "espalier soak: a fault; to repeat it: ./espalier soak DIR --shape A\n", run.err());
    assertTrue(run.out().matches("ended early: .* lying pages \\(seed 7\\)\n"), run.out());
    assertTrue(Files.exists(used.resolve("found")));
  }

  /** Has found a fault, and waits for other threads. */
  static final class Finder {
    private Finder() {}

    /** Takes the name of the folder that it works in. */
    public static void main(String[] args) throws IOException, InterruptedException {
      Path used = Files.createDirectory(Path.of(args[0]));
      Interruption.deleteAtEnd(List.of(used));
      SoakReport report =
          SoakReportTest.report(new PrintWriter(System.out), new PrintWriter(System.err), used);
      report.add(new SoakFailure("a fault", "--shape A", null));
      Files.createFile(used.resolve("found"));
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @Test
  void folderInUseIsDeletedWithAllThatIsInIt() throws Exception {
    Path used = folder.resolve("used");
    List<String> command = new ArrayList<>(ChildProcess.command(List.of(), used.toString()));
    command.set(command.size() - 2, FolderUser.class.getName());
    ChildProcess child = ChildProcess.start(streams, command);
    while (child.isAlive() && !Files.exists(used.resolve("deep").resolve("file"))) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    child.signal("TERM");
    assertEquals(143, child.await().status());
    assertEquals(Set.of(), filesMade());
  }

  /** Makes a folder that is not to be left behind, and waits. */
  static final class FolderUser {
    private FolderUser() {}

    /** Takes the name of the folder. */
    public static void main(String[] args) throws IOException, InterruptedException {
      Path used = Path.of(args[0]);
      Interruption.deleteAtEnd(List.of(used));
      Path deep = Files.createDirectories(used.resolve("deep"));
      Files.createFile(deep.resolve("file"));
      Thread.sleep(Long.MAX_VALUE);
    }
  }
}
