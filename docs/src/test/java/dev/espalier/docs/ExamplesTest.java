// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The README's examples are {@link ReadmeExample} and {@link ReadmeFileExample} to the letter, and
 * print what the README says.
 */
final class ReadmeExampleTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path SOURCES = Path.of("src/test/java/dev/espalier/docs");

  private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");
  private static final Pattern PRINTED_BLOCK =
      Pattern.compile("(?ms)^It prints\n\n```text\n(.*?)^```$");

  /** An example's {@code main}. */
  @FunctionalInterface
  private interface Main {
    void run(String... args) throws IOException;
  }

  @Test
  void readmeShowsTheExamplesAsTheyAreCompiled() throws IOException {
    assertEquals(
        List.of(source("ReadmeExample.java"), source("ReadmeFileExample.java")),
        blocks(JAVA_BLOCK));
  }

  @Test
  void examplesPrintWhatTheReadmeSays() throws IOException {
    assertEquals(
        blocks(PRINTED_BLOCK),
        List.of(outputOf(ReadmeExample::main), outputOf(ReadmeFileExample::main)));
  }

  /** Returns a source without license and package. */
  private static String source(String file) throws IOException {
    String source = Files.readString(SOURCES.resolve(file));
    return source.substring(source.indexOf("import "));
  }

  private static List<String> blocks(Pattern pattern) throws IOException {
    return pattern
        .matcher(Files.readString(README))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  private static String outputOf(Main example) throws IOException {
    PrintStream standardOutput = System.out;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      example.run();
    } finally {
      System.setOut(standardOutput);
    }
    return output.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }
}
