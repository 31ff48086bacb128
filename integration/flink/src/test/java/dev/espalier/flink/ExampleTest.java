// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleTest {
  @TempDir Path folder;

  @Test
  @Tag("thorough")
  void printsWhatTheDocumentationSaysAndNothingElse() throws Exception {
    PrintStream standardOutput = System.out;
    PrintStream standardError = System.err;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      FlinkExample.run(folder);
    } finally {
      System.setOut(standardOutput);
      System.setErr(standardError);
    }
    assertEquals("", errors.toString(StandardCharsets.UTF_8));
    assertEquals(
        Set.of("+I[1, 250]", "+I[2, null]"),
        output.toString(StandardCharsets.UTF_8).lines().collect(Collectors.toSet()));
  }

  @Test
  void isShownInTheDocumentation() throws IOException {
    String source = Files.readString(Path.of("src/test/java/dev/espalier/flink/FlinkExample.java"));
    String example =
        source.substring(source.indexOf("// Shown:\n") + 10, source.lastIndexOf("  }\n}"));
    String page = Files.readString(Path.of("../../docs/engines.md"));
    assertTrue(page.contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```\n"), example);
  }
}
