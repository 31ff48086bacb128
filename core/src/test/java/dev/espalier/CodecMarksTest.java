// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodecMarksTest {
  private static final CodecMarks MADE = new CodecMarks("string", "long");

  @Test
  void otherCodecsAreRefusedByName() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> MADE.check("index 'a'", new CodecMarks("int", "long")));
    assertEquals(
        "index 'a' has keys stored by the codec 'string'; the codec given is 'int'",
        refused.getMessage());
    refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> MADE.check("index 'a'", new CodecMarks(null, "uuid")));
    assertEquals(
        "index 'a' has values stored by the codec 'long'; the codec given is 'uuid'",
        refused.getMessage());
  }

  @Test
  void codecsWithoutAMarkAreTakenForAnyOther() {
    assertDoesNotThrow(() -> MADE.check("index", MADE));
    assertDoesNotThrow(() -> MADE.check("index", CodecMarks.NONE));
    assertDoesNotThrow(() -> MADE.check("index", new CodecMarks("string", null)));
    assertDoesNotThrow(() -> CodecMarks.NONE.check("index", MADE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a(b)", "a:b", "\u00e4"})
  void marksAreWords(String mark) {
    assertThrows(IllegalArgumentException.class, () -> new CodecMarks(mark, null));
    assertThrows(IllegalArgumentException.class, () -> new CodecMarks(null, mark));
    assertThrows(IllegalArgumentException.class, () -> new CodecMarks("a".repeat(101), null));
    assertDoesNotThrow(() -> new CodecMarks("com.example.Money-v2_b", "a".repeat(100)));
  }

  @Test
  void codecsOfOneTypeForKeysAndValuesHaveOneMark() {
    assertEquals(
        new CodecMarks("double", "double"),
        CodecMarks.of(KeyCodec.ofDouble(), ValueCodec.ofDouble()));
    assertEquals(
        new CodecMarks("unsigned-long", "long"),
        CodecMarks.of(KeyCodec.ofUnsignedLong(), ValueCodec.ofLong()));
  }

  @Test
  void whatIsNoIntIsRefusedWithTheNumber() {
    ArithmeticException refused =
        assertThrows(ArithmeticException.class, () -> KeyCodec.ofInt().decode(1L << 32));
    assertEquals(
        "4294967296 is stored, which is no int: another codec has written it",
        refused.getMessage());
  }
}
