// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.Test;

class TupleQuestionTest {
  @Test
  void numbersAreComparedAsInSql() {
    assertTrue(TupleQuestion.areEqual(0.0, -0.0));
    assertTrue(TupleQuestion.areEqual(-0.0f, 0.0f));
    assertTrue(TupleQuestion.areEqual(1.5, 1.5));
    assertFalse(TupleQuestion.areEqual(Double.NaN, Double.NaN));
    assertFalse(TupleQuestion.areEqual(Float.NaN, Float.NaN));
    assertFalse(TupleQuestion.areEqual(1.5f, 1.25f));
  }

  @Test
  void otherFieldsAreComparedByWhatTheyHold() {
    assertTrue(TupleQuestion.areEqual(new byte[] {1, 2}, new byte[] {1, 2}));
    assertFalse(TupleQuestion.areEqual(new byte[] {1, 2}, new byte[] {1, 3}));
    assertTrue(TupleQuestion.areEqual(StringData.fromString("a"), StringData.fromString("a")));
    assertFalse(TupleQuestion.areEqual(1L, null));
  }
}
