// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Writes lists, maps, strings, booleans and numbers as JSON (RFC 8259). */
public final class Json {
  private final StringBuilder text = new StringBuilder();

  private Json() {}

  /**
   * Returns the JSON text of a value, maps and lists over several lines.
   *
   * @throws IllegalArgumentException if there is a number that JSON does not know, or another type
   */
  static String of(Object value) {
    Json json = new Json();
    json.write(value, "\n");
    return json.text.append('\n').toString();
  }

  /**
   * Checks that a file can be written, before the work whose outcome it is to hold.
   *
   * @throws CommandFailure if it can't
   */
  public static void checkWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw new CommandFailure("can't write " + file + ": is a folder");
    }
    if (folder == null || !Files.isDirectory(folder)) {
      throw new CommandFailure("can't write " + file + ": no such folder: " + folder);
    }
    if (!Files.isWritable(Files.exists(file) ? file : folder)) {
      throw new CommandFailure("can't write " + file + ": permission denied");
    }
  }

  /**
   * Checks that a file can be written, and that it is none of those that a command works on.
   *
   * @throws ParameterException if it is one of them
   * @throws CommandFailure if it can't be written
   */
  static void checkWritable(Path file, List<Path> worked, CommandSpec command) {
    for (Path other : worked) {
      if (isSame(file, other)) {
        throw new ParameterException(
            command.commandLine(),
            "--json is %s, a file that the command works on: name another".formatted(file));
      }
    }
    checkWritable(file);
  }

  private static boolean isSame(Path one, Path other) {
    try {
      return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize())
          || (Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other));
    } catch (IOException e) {
      throw new CommandFailure("can't compare " + one + " with " + other + ": " + e, e);
    }
  }

  /**
   * Writes a value to a file.
   *
   * @throws CommandFailure if the file can't be written
   */
  public static void writeTo(Path file, Object value) {
    try (Writer writer = open(file)) {
      writer.write(of(value));
    } catch (IOException e) {
      throw new CommandFailure("can't write " + file + ": " + e.getMessage(), e);
    }
    Interruption.keep(List.of(file));
  }

  /** Opens a file. One that is new does not stay if the process ends before it is written. */
  private static Writer open(Path file) throws IOException {
    if (Files.exists(file)) {
      return Files.newBufferedWriter(file);
    }
    return Interruption.uninterrupted(
        () -> {
          Interruption.deleteAtEnd(List.of(file));
          try {
            return Files.newBufferedWriter(file);
          } catch (IOException e) {
            throw new CommandFailure("can't write " + file + ": " + e, e);
          }
        });
  }

  private void write(Object value, String newLine) {
    switch (value) {
      case Map<?, ?> map -> writeMap(map, newLine);
      case List<?> list -> writeList(list, newLine);
      case String string -> writeString(string);
      case Double number when !Double.isFinite(number) ->
          throw new IllegalArgumentException("JSON has no number " + number);
      case Double _, Integer _, Long _, Boolean _ -> text.append(value);
      default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
    }
  }

  private void writeMap(Map<?, ?> map, String newLine) {
    text.append('{');
    String inner = newLine + "  ";
    for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        entries.hasNext(); ) {
      Map.Entry<?, ?> entry = entries.next();
      text.append(inner);
      writeString(String.valueOf(entry.getKey()));
      text.append(": ");
      write(entry.getValue(), inner);
      text.append(entries.hasNext() ? "," : newLine);
    }
    text.append('}');
  }

  private void writeList(List<?> list, String newLine) {
    text.append('[');
    String inner = newLine + "  ";
    for (Iterator<?> elements = list.iterator(); elements.hasNext(); ) {
      text.append(inner);
      write(elements.next(), inner);
      text.append(elements.hasNext() ? "," : newLine);
    }
    text.append(']');
  }

  private void writeString(String string) {
    append(text, string);
  }

  /** Appends a string in quotes. */
  static void append(StringBuilder text, String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
