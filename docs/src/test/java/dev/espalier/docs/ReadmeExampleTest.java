// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README's example is {@link ReadmeExample} to the letter, and prints what the README says. */
final class ReadmeExampleTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path SOURCE = Path.of("src/test/java/dev/espalier/docs/ReadmeExample.java");

  private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");
  private static final Pattern PRINTED_BLOCK =
      Pattern.compile("(?ms)^It prints\n\n```text\n(.*?)^```$");

  @Test
  void readmeShowsTheExampleAsItIsCompiled() throws IOException {
    assertEquals(withoutLicenseAndPackage(Files.readString(SOURCE)), block(JAVA_BLOCK));
  }

  @Test
  void examplePrintsWhatTheReadmeSays() throws IOException {
    assertEquals(block(PRINTED_BLOCK), outputOfTheExample());
  }

  private static String withoutLicenseAndPackage(String source) {
    return source.substring(source.indexOf("import "));
  }

  private static String block(Pattern pattern) throws IOException {
    Matcher matcher = pattern.matcher(Files.readString(README));
    return matcher.find() ? matcher.group(1) : "";
  }

  private static String outputOfTheExample() {
    PrintStream standardOutput = System.out;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      ReadmeExample.main(new String[0]);
    } finally {
      System.setOut(standardOutput);
    }
    return output.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }
}
