// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a checkout of the sources: when it builds, and with which JDK it runs. Maven and
 * the JDK are scripts here. That of Maven counts its calls, and keeps what it finds in the source.
 */
@Timeout(60)
final class LauncherBuildTest {

  private static final List<String> SOURCES =
      List.of(
          "LICENSE",
          "pom.xml",
          "ffi-prefetch/pom.xml",
          "ffi-prefetch/src/main/A.java",
          "core/pom.xml",
          "core/src/main/A.java",
          "io/pom.xml",
          "io/src/main/A.java",
          "integration/pom.xml",
          "integration/join/pom.xml",
          "integration/join/src/main/A.java",
          "integration/cli/pom.xml",
          "integration/cli/src/main/A.java");

  private static final String MAVEN =
      """
      #!/bin/sh
      cd "$(dirname "$4")"
      echo called >> maven-calls
      grep -q broken core/src/main/A.java && exit 1
      mkdir -p integration/cli/target/lib
      cp core/src/main/A.java integration/cli/target/lib/library.jar
      cp core/src/main/A.java integration/cli/target/cli.jar
      ./espalier --keep-build integration/cli integration/cli/target/cli.jar integration/cli/target/lib
      """;

  private static final String JAVA =
      """
      #!/bin/sh
      while [ "$1" != -cp ]; do shift; done
      cat "${2%%:*}"
      """;

  @TempDir Path folder;

  private Path checkout;

  @BeforeEach
  void checkOut() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
    checkout = folder.resolve("checkout");
    for (String source : SOURCES) {
      write(checkout.resolve(source), "");
    }
    Files.copy(Path.of("../../espalier"), checkout.resolve("espalier"));
    write(checkout.resolve("core/src/main/A.java"), "first\n");
    script(folder.resolve("bin/mvn"), MAVEN);
    makeJdk("25.0.1");
  }

  @Test
  void sourcesAreBuiltOnce() throws Exception {
    assertEquals("first\n", run(checkout, 0));
    assertEquals("first\n", run(checkout, 0));
    assertEquals(1, builds(checkout));
  }

  @Test
  void changedSourceIsBuilt() throws Exception {
    run(checkout, 0);
    write(checkout.resolve("core/src/main/A.java"), "second\n");
    assertEquals("second\n", run(checkout, 0));
    assertEquals(2, builds(checkout));
  }

  @Test
  void renamedSourceIsBuilt() throws Exception {
    run(checkout, 0);
    Files.move(checkout.resolve("io/src/main/A.java"), checkout.resolve("io/src/main/B.java"));
    run(checkout, 0);
    assertEquals(2, builds(checkout));
  }

  @Test
  void newTimesAreNoReasonToBuild() throws Exception {
    run(checkout, 0);
    for (String source : SOURCES) {
      Files.setLastModifiedTime(
          checkout.resolve(source), FileTime.from(Instant.now().plusSeconds(60)));
    }
    assertEquals("first\n", run(checkout, 0));
    assertEquals(1, builds(checkout));
  }

  @Test
  void copyOfACheckoutIsNotBuiltAgain() throws Exception {
    run(checkout, 0);
    Path copy = folder.resolve("copy");
    assertEquals(0, new ProcessBuilder("cp", "-r", "" + checkout, "" + copy).start().waitFor());
    assertEquals("first\n", run(copy, 0));
    assertEquals(1, builds(copy));
  }

  @Test
  void failedBuildLeavesTheOneBefore() throws Exception {
    run(checkout, 0);
    write(checkout.resolve("core/src/main/A.java"), "broken\n");
    assertTrue(run(checkout, 1).contains("espalier: the build failed"));
    write(checkout.resolve("core/src/main/A.java"), "first\n");
    assertEquals("first\n", run(checkout, 0));
    assertEquals(2, builds(checkout));
  }

  @Test
  void onlyTheLatestBuildIsKept() throws Exception {
    run(checkout, 0);
    write(checkout.resolve("core/src/main/A.java"), "second\n");
    run(checkout, 0);
    try (Stream<Path> files = Files.list(checkout.resolve("integration/cli/target"))) {
      assertEquals(1, files.filter(f -> f.getFileName().toString().startsWith("app-")).count());
    }
  }

  @Test
  void laterJdksAreTakenAndEarlierOnesRefused() throws Exception {
    makeJdk("26-ea");
    assertEquals("first\n", run(checkout, 0));
    makeJdk("100.0.1");
    assertEquals("first\n", run(checkout, 0));
    makeJdk("24.0.2");
    assertTrue(run(checkout, 1).contains("which is no JDK 25 or later"));
    makeJdk("1.8.0_400");
    assertFalse(run(checkout, 1).contains("first"));
  }

  private void makeJdk(String version) throws IOException {
    script(folder.resolve("jdk/bin/java"), JAVA);
    write(folder.resolve("jdk/release"), "A=1\nJAVA_VERSION=\"" + version + "\"\n");
  }

  /** What the launcher prints, on both of its outputs, without that it builds. */
  private String run(Path root, int status) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(root.resolve("espalier").toString(), "variants")
            .redirectErrorStream(true);
    builder.environment().merge("PATH", "", (path, _) -> folder.resolve("bin") + ":" + path);
    builder.environment().put("ESPALIER_JAVA", folder.resolve("jdk").toString());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes());
    assertEquals(status, process.waitFor(), output);
    return output.replaceFirst("espalier: building.*\n", "");
  }

  private static int builds(Path root) throws IOException {
    return Files.readAllLines(root.resolve("maven-calls")).size();
  }

  private static void script(Path file, String text) throws IOException {
    write(file, text);
    assertTrue(new File(file.toString()).setExecutable(true));
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
