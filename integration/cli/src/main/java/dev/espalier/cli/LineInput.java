// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Where lines are read from: a file, or standard input. */
final class LineInput {
  /** The name of standard input. */
  static final String STANDARD_INPUT = "-";

  private LineInput() {}

  /** Reads lines. */
  @FunctionalInterface
  interface Reading<T> {
    /**
     * Reads to the end.
     *
     * @param name of the input, for messages
     * @param length of the input in bytes; 0 if it is unknown
     */
    T read(String name, InputStream bytes, long length) throws IOException;
  }

  /**
   * Opens an input, reads it and closes it.
   *
   * @param input the file, or {@link #STANDARD_INPUT}
   * @return what {@code reading} returned
   * @throws CommandFailure if it can't be read
   */
  static <T> T read(String input, Reading<T> reading) {
    if (input.equals(STANDARD_INPUT)) {
      try {
        return reading.read("standard input", System.in, 0); // It stays open: it is not ours.
      } catch (IOException e) {
        throw new CommandFailure("can't read standard input: " + e, e);
      }
    }
    Path path = path(input);
    if (!Files.exists(path)) {
      throw new CommandFailure(path + ": no such file");
    }
    if (Files.isDirectory(path)) {
      throw new CommandFailure(path + ": is a folder");
    }
    try (InputStream file = Files.newInputStream(path)) {
      return reading.read(input, file, Files.size(path));
    } catch (IOException e) {
      throw new CommandFailure("can't read " + path + ": " + e, e);
    }
  }

  private static Path path(String input) {
    try {
      return Path.of(input);
    } catch (InvalidPathException e) {
      throw new CommandFailure("INPUT can't be the name of a file here: " + e.getMessage(), e);
    }
  }
}
