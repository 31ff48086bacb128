// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose output can't be written. */
final class OutputFailureTest {
  private static final Path FULL = Path.of("/dev/full");

  @TempDir private Path folder;

  @BeforeEach
  void makeAnIndex() {
    assertEquals(0, CommandRun.of("load", index(), "--tpch", "0.0001").status());
  }

  private String index() {
    return folder.resolve("index.esp").toString();
  }

  private String[] words(String command) {
    return Stream.of(command.split(" "))
        .map(w -> w.equals("FILE") ? index() : w)
        .toArray(String[]::new);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dump FILE",
        "dump FILE --last-checkpoint",
        "scan FILE 1 100",
        "get FILE 1",
        "inspect FILE",
        "verify FILE",
        "variants",
        "--help",
        "dump --help"
      })
  void fullDeviceIsExplained(String command) throws IOException {
    assumeTrue(Files.exists(FULL), "no /dev/full here");
    StringWriter err = new StringWriter();
    try (Writer out = new FileWriter(FULL.toFile())) {
      int status = Espalier.run(out, err, List.of(), words(command));
      assertEquals(
          "espalier: can't write the output: No space left on device%n".formatted(),
          err.toString());
      assertEquals(1, status);
    } catch (IOException full) {
      // Closing tries once more.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dump FILE", "scan FILE 1 100", "get FILE 1", "inspect FILE", "variants"})
  void closedPipeIsNoReasonToComplain(String command) {
    StringWriter err = new StringWriter();
    int status = Espalier.run(new ClosedPipe(), err, List.of(), words(command));
    assertEquals("", err.toString());
    assertEquals(1, status);
  }

  private static final class ClosedPipe extends Writer {
    @Override
    public void write(char[] characters, int from, int count) throws IOException {
      throw new IOException("Broken pipe");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** As a shell would have it: no reader is left, and the disk is full. */
  @ParameterizedTest
  @ValueSource(strings = {"exec %s > /dev/full", "(%s; echo $? >&2) | true"})
  void realProcessSaysTheSame(String script) throws Exception {
    assumeTrue(Files.exists(FULL), "no /dev/full here");
    String command = String.join(" ", ChildProcess.command(List.of(), "variants"));
    CommandRun run =
        ChildProcess.start(folder, List.of("sh", "-c", script.formatted(command))).await();
    boolean full = script.contains("full");
    assertEquals(
        full
            ? "espalier: can't write the output: No space left on device%n".formatted()
            : "1%n".formatted(),
        run.err()
            .lines()
            .filter(l -> !l.startsWith("WARNING"))
            .map(l -> l + "%n".formatted())
            .reduce("", String::concat));
    assertEquals(full ? 1 : 0, run.status());
  }
}
