// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher in a distribution: a folder with the script, and all jars in {@code lib}. */
@Timeout(120)
final class LauncherTest {

  @TempDir Path folder;

  @BeforeEach
  void install() throws IOException {
    // Signals and processes are looked at as Linux shows them.
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "no Linux");
    Files.copy(Path.of("../../espalier"), folder.resolve("espalier"));
    Files.createDirectory(folder.resolve("lib"));
    int number = 0;
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(entry);
      Path jar = folder.resolve("lib/%03d.jar".formatted(number++));
      if (Files.isDirectory(path)) {
        pack(path, jar);
      } else {
        Files.createSymbolicLink(jar, path.toAbsolutePath());
      }
    }
  }

  /** The process that was started is told; nobody knows which others it has started. */
  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130"})
  @Tag("thorough")
  void signalEndsTheJvm(String signal, int status) throws Exception {
    // Whoever starts these tests in the background may have them ignore SIGINT.
    Process launcher =
        start("env", "--default-signal=INT,TERM", espalier(), "load", file("index.esp"), "-");
    // It waits for the lines of standard input.
    while (jvms("load").isEmpty()) {
      assertTrue(launcher.isAlive(), "ended before there was a JVM");
      Thread.sleep(10);
    }
    assertEquals(0, start("kill", "-" + signal, "" + launcher.pid()).waitFor());
    assertTrue(launcher.waitFor(30, TimeUnit.SECONDS), "still there");
    assertEquals(status, launcher.exitValue());
    assertEquals(List.of(), jvms(""));
  }

  @Test
  @Tag("thorough")
  void helpLeavesStandardErrorEmptyWithAndWithoutAnArchiveOfClasses() throws Exception {
    assertEquals(0, archives());
    assertEquals("", standardError(0, espalier(), "--help"));
    assertEquals(1, archives());
    assertEquals("", standardError(0, espalier(), "--help"));
    assertEquals(1, archives());
  }

  @Tag("thorough")
  @Test
  void archiveOfOtherJarsIsReplaced() throws Exception {
    assertEquals("", standardError(0, espalier(), "--help"));
    pack(Path.of("target/classes"), folder.resolve("lib/more.jar"));
    assertEquals("", standardError(0, espalier(), "--help"));
    assertEquals(1, archives());
  }

  @Tag("thorough")
  @Test
  void damagedArchiveIsNoMoreThanASlowStart() throws Exception {
    assertEquals("", standardError(0, espalier(), "--help"));
    try (Stream<Path> files = Files.list(folder)) {
      Path archive = files.filter(LauncherTest::isArchive).findAny().orElseThrow();
      Files.write(archive, new byte[10_000]);
    }
    assertEquals("", standardError(0, espalier(), "--help"));
  }

  @Test
  @Tag("thorough")
  void errorsPassTheFilterAndTheJvmsWarningDoesNot() throws Exception {
    String error = standardError(1, espalier(), "get", file("none.esp"), "1");
    assertTrue(error.startsWith("espalier get: "), error);
    assertTrue(error.contains("none.esp"), error);
    assertEquals(1, error.lines().count(), error);
  }

  @Test
  @Tag("thorough")
  void collectorOfTheUserTakesThePlaceOfTheLaunchers() throws Exception {
    String zgc = "ESPALIER_JAVA_OPTS=-XX:+UseZGC";
    assertEquals("", standardError(0, "env", zgc, espalier(), "--help"));
  }

  /** The status is that of the command, and not that of what filters its errors. */
  @Test
  void wrongArgumentsAreStatusTwo() throws Exception {
    assertTrue(standardError(2, espalier(), "--none").contains("--none"));
  }

  /** Without a locale, the JVM alone would take arguments for ASCII. */
  @Tag("thorough")
  @Test
  void argumentsAreUtf8WithoutALocale() throws Exception {
    Path lines = Files.writeString(folder.resolve("towns.csv"), "Z\u00fcrich,443\n");
    String index = file("towns.esp");
    assertEquals("", CommandRun.of("load", index, lines.toString(), "--keys", "text").err());
    String command = "LC_ALL= LC_CTYPE= LANG= exec \"$0\" get \"$1\" $'Z\\xc3\\xbcrich'";
    assertEquals("", standardError(0, "bash", "-c", command, espalier(), index));
  }

  private String espalier() {
    return file("espalier");
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private static Process start(String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("ESPALIER_JAVA", System.getProperty("java.home"));
    // A JVM announces options that it takes from the environment on standard error.
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return builder.start();
  }

  private static String standardError(int status, String... command) throws Exception {
    Process process = start(command);
    String error = new String(process.getErrorStream().readAllBytes());
    assertEquals(status, process.waitFor(), error);
    return error;
  }

  private long archives() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(LauncherTest::isArchive).count();
    }
  }

  private static boolean isArchive(Path file) {
    return file.getFileName().toString().startsWith("classes-");
  }

  /** The command lines of all JVMs that run the jars of this folder and have a word in them. */
  private List<String> jvms(String word) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process : (Iterable<Path>) processes::iterator) {
        if (process.getFileName().toString().matches("\\d+")) {
          String command = commandLine(process);
          if (command.contains(file("lib")) && command.contains(" " + word)) {
            found.add(command);
          }
        }
      }
    }
    return found;
  }

  private static String commandLine(Path process) {
    try {
      return Files.readString(process.resolve("cmdline")).replace('\0', ' ');
    } catch (IOException e) {
      return ""; // It has ended meanwhile.
    }
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(out);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        zip.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
        Files.copy(file, zip);
      }
    }
  }
}
