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
 * A small file of figures in the user's cache folder. Figures are kept for a machine: home
 * directories are copied, and shared between machines.
 *
 * @param path of the file
 */
record CacheFile(Path path) {
  static final String FOLDER_PROPERTY = "espalier.cache";

  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
  private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

  /** Returns the folder for cached figures, or nothing if there is none to keep them in. */
  static Optional<Path> folder() {
    return folder(
        System.getProperty(FOLDER_PROPERTY),
        System.getenv("XDG_CACHE_HOME"),
        System.getProperty("user.home"));
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

  /** Returns what to say where {@link #folder()} returns nothing. */
  static IOException noFolder(String figures) {
    return new IOException(
        "no folder for "
            + figures
            + ": neither XDG_CACHE_HOME nor a home folder is known; name one by -D"
            + FOLDER_PROPERTY
            + "=FOLDER");
  }

  /** Returns what the file says, or nothing if it is absent, unreadable or damaged. */
  Optional<Properties> read() {
    Properties properties = new Properties();
    try (BufferedReader in = Files.newBufferedReader(path)) {
      properties.load(in);
      return Optional.of(properties);
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty(); // Nothing must fail for a cached figure.
    }
  }

  /** Writes the file in one step, so that a reader sees all of it or none, and returns its path. */
  Path write(Properties properties, String comment) throws IOException {
    StringWriter text = new StringWriter();
    properties.store(text, comment + ", written by Espalier; may be deleted");
    Path folder = path.resolveSibling("");
    Files.createDirectories(folder);
    Path written = Files.createTempFile(folder, "figures", ".tmp");
    try {
      Files.writeString(written, text.toString());
      Files.move(written, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
    return path;
  }

  /** Returns what this machine is called: processor and host. */
  static String machineName() {
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
