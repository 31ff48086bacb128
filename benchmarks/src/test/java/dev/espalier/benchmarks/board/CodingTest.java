// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Entries as bytes. */
final class CodingTest {
  private static final int ENTRIES = 1000;

  @ParameterizedTest
  @EnumSource
  void keysAreInTheOrderOfTheirLongsAndReadBack(Setting.Kind kind) {
    Coding coding = new Coding(kind);
    for (int i = 1; i < ENTRIES; i++) {
      byte[] one = coding.keyArray(i - 1);
      byte[] other = coding.keyArray(i);
      assertEquals(coding.keyBytes(), other.length);
      assertEquals(Setting.key(i), coding.key(MemorySegment.ofArray(other)));
      assertEquals(
          Integer.signum(Long.compare(Setting.key(i - 1), Setting.key(i))),
          Integer.signum(Arrays.compareUnsigned(one, other)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void valuesTellTheirWordUnlessTheyAreTorn(Setting.Kind kind) {
    Coding coding = new Coding(kind);
    long word = Word.of(123, 4);
    byte[] value = coding.valueArray(word);
    assertEquals(word, coding.word(MemorySegment.ofArray(value)));
    assertEquals(
        Word.TORN, coding.word(MemorySegment.ofArray(Arrays.copyOf(value, value.length + 1))));
    if (value.length >= 2 * Long.BYTES) {
      byte[] later = coding.valueArray(Word.of(123, 5));
      System.arraycopy(value, 0, later, 0, value.length / 2);
      assertEquals(Word.TORN, coding.word(MemorySegment.ofArray(later)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void stringsReadLikeThoseOfYcsb(Setting.Kind kind) {
    String key = new String(new Coding(kind).keyArray(0), StandardCharsets.UTF_8);
    assertTrue(kind == Setting.Kind.LONGS || key.matches("user[a-p]{16}"), key);
  }
}
