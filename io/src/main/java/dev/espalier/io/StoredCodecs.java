// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the catalogue names the codecs of an index: {@code int64:int64} for longs and {@code
 * bytes:bytes} for byte strings, each with the mark of a codec behind it if the index was made with
 * one that has a mark, as in {@code bytes(string):bytes(long)}.
 */
final class StoredCodecs {
  /** Keys and values as longs of 8 bytes, of whatever codecs. */
  static final String LONGS = "int64:int64";

  /** Keys and values as byte strings of any length, of whatever codecs. */
  static final String BYTES = "bytes:bytes";

  private static final Pattern FORM =
      Pattern.compile("(int64|bytes)(?:\\(([^():]+)\\))?:\\1(?:\\(([^():]+)\\))?");

  private StoredCodecs() {}

  static String ofLongs(CodecMarks marks) {
    return of("int64", marks);
  }

  static String ofByteStrings(CodecMarks marks) {
    return of("bytes", marks);
  }

  private static String of(String stored, CodecMarks marks) {
    return with(stored, marks.keys()) + ":" + with(stored, marks.values());
  }

  private static String with(String stored, @Nullable String mark) {
    return mark == null ? stored : stored + "(" + mark + ")";
  }

  /** Tells whether keys and values are byte strings; if not, they are longs. */
  static boolean areByteStrings(String codecs) {
    return codecs.startsWith("bytes");
  }

  /** Returns the marks in the name of the codecs; none if they make no sense. */
  static CodecMarks marks(String codecs) {
    Matcher form = FORM.matcher(codecs);
    try {
      return form.matches() ? new CodecMarks(form.group(2), form.group(3)) : CodecMarks.NONE;
    } catch (IllegalArgumentException damaged) {
      return CodecMarks.NONE;
    }
  }
}
