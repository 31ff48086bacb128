// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Indexes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples in the documents are those that are compiled here, and print what is said there. */
final class ExamplesTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path FILES = Path.of("files.md");
  private static final Path TRANSACTIONS = Path.of("transactions.md");
  private static final Path BYTE_STRINGS = Path.of("byte-strings.md");
  private static final Path JOINS = Path.of("joins.md");
  static final Path SOURCES = Path.of("src/test/java/dev/espalier/docs");

  static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");
  static final Pattern PRINTED_BLOCK = Pattern.compile("(?ms)^It prints\n\n```text\n(.*?)^```$");
  private static final Pattern PRINTED_LINE = Pattern.compile("System\\.out\\..*; // (.*)");

  /** From the comment on, as far as the method goes. */
  private static final Pattern SHOWN = Pattern.compile("(?ms)^    // Shown:\n(.*?)^  }$");

  @Test
  void readmeShowsItsExampleAsItIsCompiled() throws IOException {
    String shown = only(SHOWN, Files.readString(SOURCES.resolve("ReadmeExample.java")));
    assertEquals(shown.replaceAll("(?m)^    ", ""), only(JAVA_BLOCK, Files.readString(README)));
  }

  @Test
  void readmeExamplePrintsWhatItsCommentsSay() throws IOException {
    String example = only(JAVA_BLOCK, Files.readString(README));
    List<String> comments = all(PRINTED_LINE, example);
    assertEquals(comments, outputOf(() -> ReadmeExample.main(new String[0])).lines().toList());
    assertEquals(2, comments.size());
  }

  @Test
  void pageOfFilesShowsItsExampleAsItIsCompiled() throws IOException {
    String source = Files.readString(SOURCES.resolve("FileExample.java"));
    assertEquals(
        source.substring(source.indexOf("import ")), only(JAVA_BLOCK, Files.readString(FILES)));
  }

  @Test
  void fileExamplePrintsWhatThePageSays(@TempDir Path folder) throws IOException {
    assertEquals(
        only(PRINTED_BLOCK, Files.readString(FILES)),
        outputOf(() -> FileExample.main(new String[] {folder.toString()})));
  }

  @Test
  void pageOfTransactionsShowsItsExampleAsItIsCompiledAndWhatItPrints(@TempDir Path folder)
      throws IOException {
    String page = Files.readString(TRANSACTIONS);
    String source = Files.readString(SOURCES.resolve("TransactionExample.java"));
    assertEquals(source.substring(source.indexOf("import ")), only(JAVA_BLOCK, page));
    assertEquals(
        only(PRINTED_BLOCK, page),
        outputOf(() -> TransactionExample.main(new String[] {folder.toString()})));
  }

  @Test
  void pageOfJoinsShowsItsExamplesAsTheyAreCompiledAndWhatTheyPrint() throws IOException {
    String page = Files.readString(JOINS);
    String[] none = {};
    assertEquals(
        List.of(
            program("JoinExample.java"),
            program("SecondaryJoinExample.java"),
            program("SeriesJoinExample.java")),
        all(JAVA_BLOCK, page));
    assertEquals(
        List.of(
            outputOf(() -> JoinExample.main(none)),
            outputOf(() -> SecondaryJoinExample.main(none)),
            outputOf(() -> SeriesJoinExample.main(none))),
        all(PRINTED_BLOCK, page));
  }

  private static String program(String source) throws IOException {
    String text = Files.readString(SOURCES.resolve(source));
    return text.substring(text.indexOf("import "));
  }

  @Test
  void pageOfByteStringsShowsItsExamplesAsTheyAreCompiled() throws IOException {
    List<String> shown = List.of(shown("BytesExample.java"), shown("BytesFileExample.java"));
    assertEquals(shown, all(JAVA_BLOCK, Files.readString(BYTE_STRINGS)));
  }

  private static String shown(String source) throws IOException {
    String shown = only(SHOWN, Files.readString(SOURCES.resolve(source)));
    return shown.replaceAll("(?m)^    ", "");
  }

  @Test
  void examplesOfByteStringsPrintWhatThePageSays(@TempDir Path folder) throws IOException {
    try (BytesIndex index = Indexes.createBytes();
        BytesIndex entries = Indexes.createBytes()) {
      List<String> printed =
          List.of(
              outputOf(() -> BytesExample.run(index, entries)),
              outputOf(() -> BytesFileExample.run(folder.resolve("shop"))));
      assertEquals(printed, all(PRINTED_BLOCK, Files.readString(BYTE_STRINGS)));
    }
  }

  private static String only(Pattern pattern, String text) {
    List<String> found = all(pattern, text);
    assertEquals(1, found.size(), pattern.pattern());
    return found.getFirst();
  }

  static List<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(block -> block.group(1)).toList();
  }

  static String outputOf(Runnable example) {
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
