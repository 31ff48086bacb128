// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Files kept as text: 32 bytes in a line after their offset, without lines of zeros. */
final class GoldenFiles {
  private static final int LINE_BYTES = 32;

  private GoldenFiles() {}

  /** Returns the text of a resource. */
  static String text(String name) throws IOException {
    try (InputStream text =
        Objects.requireNonNull(GoldenFiles.class.getResourceAsStream(name), name)) {
      return new String(text.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  /** Returns the files of a folder as text. */
  static String toText(Path folder) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        text.append("file ").append(file.getFileName()).append('\n');
        append(Files.readAllBytes(file), text);
      }
    }
    return text.toString();
  }

  private static void append(byte[] bytes, StringBuilder text) {
    for (int at = 0; at < bytes.length; at += LINE_BYTES) {
      byte[] line = Arrays.copyOfRange(bytes, at, at + LINE_BYTES);
      if (!Arrays.equals(line, new byte[LINE_BYTES])) {
        text.append("%06x %s\n".formatted(at, HexFormat.of().formatHex(line)));
      }
    }
    text.append("%06x end\n".formatted(bytes.length));
  }

  /** Writes the files that a text holds to a folder. */
  static void toFiles(String text, Path folder) throws IOException {
    Path file = folder;
    TreeMap<Integer, byte[]> lines = new TreeMap<>();
    for (String line : text.split("\n")) {
      String[] parts = line.split(" ");
      if (parts[0].equals("file")) {
        file = folder.resolve(parts[1]);
        lines.clear();
      } else if (parts[1].equals("end")) {
        byte[] bytes = new byte[HexFormat.fromHexDigits(parts[0])];
        lines.forEach((at, part) -> System.arraycopy(part, 0, bytes, at, part.length));
        Files.write(file, bytes);
      } else {
        lines.put(HexFormat.fromHexDigits(parts[0]), HexFormat.of().parseHex(parts[1]));
      }
    }
  }
}
