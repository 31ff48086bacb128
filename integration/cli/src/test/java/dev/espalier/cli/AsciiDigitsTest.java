// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

final class AsciiDigitsTest {
  private final Locale before = Locale.getDefault();

  @TempDir private Path folder;

  @AfterEach
  void setBack() {
    Locale.setDefault(before);
  }

  private static void setLocale(String tag) {
    Locale.setDefault(Locale.forLanguageTag(tag));
    assertNotEquals("1", "%d".formatted(1)); // It has digits of its own.
  }

  private static void assertSays(String expected, String said) {
    assertTrue(said.contains(expected), said);
    assertTrue(said.chars().noneMatch(c -> c > '9' && Character.isDigit(c)), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ar-EG-u-nu-arab", "hi-IN-u-nu-deva"})
  void explanationsOfArgumentsHaveThem(String tag) {
    setLocale(tag);
    CommandRun threads = CommandRun.of("join", "--threads", "2", "--key", "name");
    assertSays("--threads is 2; with --key, one thread joins", threads.err());
    CommandRun memory = CommandRun.of("tune", folder.toString(), "--memory", "1");
    assertSays("--memory is 1; it must be at least ", memory.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ar-EG-u-nu-arab", "hi-IN-u-nu-deva"})
  void whatTheLibrarySaysHasThem(String tag) throws IOException {
    Path file = folder.resolve("index.esp");
    String lines =
        LongStream.range(0, 5_000).mapToObj(key -> key + "," + key + "\n").collect(joining());
    Path entries = Files.writeString(folder.resolve("entries.csv"), lines);
    CommandRun loaded =
        CommandRun.of("load", file.toString(), entries.toString(), "--page-size", "4K");
    assertEquals(0, loaded.status(), loaded.err());
    int left = 20 << 12; // Not all of its pages.
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), left));
    setLocale(tag);
    CommandRun salvaged =
        CommandRun.of("salvage", file.toString(), folder.resolve("saved.esp").toString());
    assertSays("the file has " + left + " bytes of ", salvaged.out());
  }

  @Command
  private static final class Failing implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("%,d".formatted(1_000));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ar-EG-u-nu-arab", "hi-IN-u-nu-deva"})
  void theLocaleIsSetBackAfterwards(String tag) {
    setLocale(tag);
    CommandLine command = new CommandLine(new Failing());
    String[] said = new String[1];
    command.setExecutionExceptionHandler(
        (failure, _, _) -> {
          said[0] = failure.getMessage();
          return 7;
        });
    assertEquals(7, AsciiDigits.execute(command));
    assertEquals("1,000", said[0]);
    assertEquals(Locale.forLanguageTag(tag), Locale.getDefault(Locale.Category.FORMAT));
  }
}
