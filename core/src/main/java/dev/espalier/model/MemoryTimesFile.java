// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The file in which one machine's {@link MemoryTimes} are kept.
 *
 * <p>It names the machine, and is named after it: home directories are copied, and shared between
 * machines.
 *
 * @param folder where it lies
 * @param machine whose figures it holds: processor and host
 */
record MemoryTimesFile(Path folder, String machine) {
  static final String FOLDER_PROPERTY = "espalier.cache";

  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
  private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

  private static final String MACHINE = "machine";
  private static final String T1 = "t1.nanos";
  private static final String TNEXT = "tnext.nanos";

  /** Returns this machine's file, or nothing if there is no folder to keep it in. */
  static Optional<MemoryTimesFile> ofThisMachine() {
    return folder(
            System.getProperty(FOLDER_PROPERTY),
            System.getenv("XDG_CACHE_HOME"),
            System.getProperty("user.home"))
        .map(folder -> new MemoryTimesFile(folder, machineName()));
  }

  /**
   * Returns the folder for cached figures. A relative {@code xdgCacheHome} is ignored, as the XDG
   * base directory specification has it; so is a home that the JVM does not know.
   */
  static Optional<Path> folder(
      @Nullable String named, @Nullable String xdgCacheHome, @Nullable String home) {
    if (named != null && !named.isEmpty()) {
      return parse(named);
    }
    Optional<Path> cacheHome = parse(xdgCacheHome).filter(Path::isAbsolute);
    return cacheHome
        .or(() -> parse(home).filter(Path::isAbsolute).map(folder -> folder.resolve(".cache")))
        .map(folder -> folder.resolve("espalier"));
  }

  private static Optional<Path> parse(@Nullable String name) {
    try {
      return Optional.ofNullable(name).map(Path::of);
    } catch (InvalidPathException e) {
      return Optional.empty(); // No folder of that name can be.
    }
  }

  Path path() {
    return folder.resolve(
        "memory-times-" + Integer.toHexString(machine.hashCode()) + ".properties");
  }

  /** Returns the figures, or nothing if the file does not hold this machine's. */
  Optional<MemoryTimes> read() {
    Properties properties = new Properties();
    try (BufferedReader in = Files.newBufferedReader(path())) {
      properties.load(in);
      if (!machine.equals(properties.getProperty(MACHINE))) {
        return Optional.empty();
      }
      return Optional.of(new MemoryTimes(number(properties, T1), number(properties, TNEXT)));
    } catch (IOException | IllegalArgumentException e) {
      // Absent, unreadable or damaged. Making an index must not fail for a cached figure.
      return Optional.empty();
    }
  }

  private static double number(Properties properties, String name) {
    return Double.parseDouble(properties.getProperty(name, ""));
  }

  /** Writes the file in one step, so that a reader sees all of it or none, and returns it. */
  Path write(MemoryTimes times) throws IOException {
    Properties properties = new Properties();
    properties.setProperty(MACHINE, machine);
    properties.setProperty(T1, Double.toString(times.t1()));
    properties.setProperty(TNEXT, Double.toString(times.tnext()));
    StringWriter text = new StringWriter();
    properties.store(text, "Memory latencies, written by Espalier; may be deleted");
    Files.createDirectories(folder);
    Path written = Files.createTempFile(folder, "memory-times", ".tmp");
    try {
      Files.writeString(written, text.toString());
      Files.move(written, path(), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
    return path();
  }

  private static String machineName() {
    String host = firstLine(HOST, "").orElse("unnamed");
    return processor() + " in " + host;
  }

  private static String processor() {
    return firstLine(PROCESSORS, "model name")
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .orElseGet(() -> System.getProperty("os.name") + " " + System.getProperty("os.arch"));
  }

  /** Returns the first line that begins in a certain way; nothing where there is no such file. */
  private static Optional<String> firstLine(Path file, String start) {
    try (BufferedReader in = Files.newBufferedReader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith(start)) {
          return Optional.of(line);
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
