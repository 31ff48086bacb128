// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.prefetch.Prefetch;
import dev.espalier.probe.PrefetchProbe;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Native code in JVMs started with other options than that of the tests. */
final class NativeAccessTest {

  @TempDir Path folder;

  @Test
  void withoutNativeAccessTheFallbackRunsInSilence() throws Exception {
    List<String> output =
        run(
            List.of(
                "-cp", classPath(Prefetch.class, NativeProbe.class), NativeProbe.class.getName()));
    assertEquals("prefetch ACCESS_DENIED", output.get(0));
    assertEquals("memory ACCESS_DENIED", output.get(1));
    assertEquals("advise false", output.get(2));
    assertEquals("release false", output.get(3));
    assertTrue(output.get(4).startsWith("reserve ACCESS_DENIED: "), output.get(4));
    assertEquals("ring ACCESS_DENIED", output.get(5));
    assertEquals("files ACCESS_DENIED", output.get(6));
  }

  @Test
  void switchedOffTheFallbackRunsInSilence() throws Exception {
    List<String> output =
        run(
            List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-Despalier.native=off",
                "-cp",
                classPath(Prefetch.class, NativeProbe.class),
                NativeProbe.class.getName()));
    assertEquals("prefetch SWITCHED_OFF", output.get(0));
    assertEquals("memory SWITCHED_OFF", output.get(1));
  }

  @Test
  void namedModuleNeedsAccessForItselfOnly() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    List<String> output =
        run(
            List.of(
                "--module-path",
                classPath(Prefetch.class),
                "--add-modules=dev.espalier.ffi",
                "--enable-native-access=dev.espalier.ffi",
                "-cp",
                classPath(PrefetchProbe.class),
                PrefetchProbe.class.getName()));
    assertEquals(List.of("module dev.espalier.ffi", "prefetch AVAILABLE"), output);
  }

  @Test
  void namedModuleWithoutAccessTellsItsOwnName() throws Exception {
    List<String> output =
        run(
            List.of(
                "--module-path",
                classPath(Prefetch.class),
                "--add-modules=dev.espalier.ffi",
                "-cp",
                classPath(PrefetchProbe.class),
                PrefetchProbe.class.getName()));
    assertEquals(
        List.of(
            "module dev.espalier.ffi",
            "prefetch ACCESS_DENIED",
            "add the JVM option --enable-native-access=dev.espalier.ffi"),
        output);
  }

  @Test
  void libraryInAJarOfItsOwnIsFoundOnTheClassPath() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    List<String> output =
        run(
            List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(
                    File.pathSeparator,
                    classesWithoutLibrary(),
                    classPath(PrefetchProbe.class),
                    jarOfTheLibrary()),
                PrefetchProbe.class.getName()));
    assertEquals("prefetch AVAILABLE", output.get(1));
  }

  @Test
  void libraryInAModuleOfItsOwnIsFoundOnTheModulePath() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    List<String> output =
        run(
            List.of(
                "--module-path",
                classesWithoutLibrary() + File.pathSeparator + jarOfTheLibrary(),
                "--add-modules=dev.espalier.ffi,natives",
                "--enable-native-access=dev.espalier.ffi",
                "-cp",
                classPath(PrefetchProbe.class),
                PrefetchProbe.class.getName()));
    assertEquals(List.of("module dev.espalier.ffi", "prefetch AVAILABLE"), output);
  }

  @Test
  void missingLibraryIsTheFallbackInSilence() throws Exception {
    List<String> output =
        run(
            List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classesWithoutLibrary() + File.pathSeparator + classPath(PrefetchProbe.class),
                PrefetchProbe.class.getName()));
    assertEquals("prefetch LIBRARY_MISSING", output.get(1));
  }

  /** The module as it is published. */
  private String classesWithoutLibrary() throws IOException, URISyntaxException {
    Path source = Path.of(classPath(Prefetch.class));
    Path copy = folder.resolve("classes");
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path name = source.relativize(file);
        if (!name.startsWith(Path.of("META-INF"))) {
          Files.copy(file, copy.resolve(name));
        }
      }
    }
    return copy.toString();
  }

  private String jarOfTheLibrary() throws IOException {
    String resource = Platform.current().libraryResource();
    Path jar = folder.resolve("natives.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar));
        InputStream library = Prefetch.class.getResourceAsStream("/" + resource)) {
      zip.putNextEntry(new ZipEntry(resource));
      library.transferTo(zip);
    }
    return jar.toString();
  }

  /** The lines that a JVM prints, after it ended well and wrote nothing on standard error. */
  private List<String> run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    // A JVM announces options that it takes from the environment on standard error.
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    int exit = builder.start().waitFor();
    assertEquals("", Files.readString(err));
    assertEquals(0, exit);
    return Files.readAllLines(out);
  }

  private static String classPath(Class<?>... classes) throws URISyntaxException {
    List<String> locations = new ArrayList<>();
    for (Class<?> c : classes) {
      locations.add(
          Path.of(c.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(File.pathSeparator, locations);
  }
}
