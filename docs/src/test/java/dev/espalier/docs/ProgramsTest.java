// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs on a page are those of its folder, and print what the page says. */
final class ProgramsTest {
  private static final Pattern CLASS = Pattern.compile("(?m)^class (\\w+)");
  private static final int MOST_LINES = 40;

  /**
   * A program on a page.
   *
   * @param page the name of the page and of the folder with its programs
   * @param text the program, as the page shows it
   * @param printed what it prints, as the page says
   */
  record Program(String page, String text, String printed) {
    String name() {
      return ExamplesTest.all(CLASS, text).getFirst();
    }

    @Override
    public String toString() {
      return page + ": " + name();
    }
  }

  static Stream<Program> programs() throws IOException {
    return Stream.concat(programsOf("cookbook").stream(), programsOf("streams").stream());
  }

  private static List<Program> programsOf(String page) throws IOException {
    String text = Files.readString(Path.of(page + ".md"));
    List<String> shown = ExamplesTest.all(ExamplesTest.JAVA_BLOCK, text);
    List<String> printed = ExamplesTest.all(ExamplesTest.PRINTED_BLOCK, text);
    assertEquals(shown.size(), printed.size());
    return IntStream.range(0, shown.size())
        .mapToObj(i -> new Program(page, shown.get(i), printed.get(i)))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void pageShowsTheProgramAsItIsCompiled(Program program) throws IOException {
    Path file = ExamplesTest.SOURCES.resolve(program.page).resolve(program.name() + ".java");
    String source = Files.readString(file);
    assertEquals(source.substring(source.indexOf("import ")), program.text);
    assertTrue(program.text.lines().count() <= MOST_LINES, () -> "too long: " + program);
  }

  @ParameterizedTest
  @MethodSource("programs")
  void programPrintsWhatThePageSays(Program program, @TempDir Path folder) throws Exception {
    Class<?> type = Class.forName("dev.espalier.docs." + program.page + "." + program.name());
    Method main = type.getDeclaredMethod("main", String[].class);
    main.setAccessible(true);
    String printed =
        ExamplesTest.outputOf(
            () -> {
              try {
                main.invoke(null, (Object) new String[] {folder.toString()});
              } catch (ReflectiveOperationException failed) {
                throw new AssertionError(failed);
              }
            });
    assertEquals(program.printed, printed);
  }

  @Test
  void everyProgramIsShown() throws IOException {
    for (String page : List.of("cookbook", "streams")) {
      try (Stream<Path> files = Files.list(ExamplesTest.SOURCES.resolve(page))) {
        assertEquals(
            programsOf(page).stream().map(program -> program.name() + ".java").sorted().toList(),
            files.map(file -> file.getFileName().toString()).sorted().toList());
      }
    }
    assertEquals(10, programsOf("cookbook").size());
  }
}
