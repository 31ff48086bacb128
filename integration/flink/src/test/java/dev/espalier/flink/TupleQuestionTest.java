// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Espalier;
import dev.espalier.tuple.TupleWriter;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TupleQuestionTest {
  private static final byte[] KEY = TupleWriter.encode(1L);

  @TempDir Path folder;

  /** A string may be longer than keys of an index are; then no row has it. */
  @Test
  void aKeyThatIsTooLongHasNoRows() {
    TupleFormat format =
        TupleFormat.ofTable(
            new TupleColumns(
                List.of("k", "l", "v"),
                List.of(VarCharType.STRING_TYPE, new BigIntType(), new BigIntType()),
                new int[] {0, 1}));
    StringData tooLong = StringData.fromString("k".repeat(70_000));
    try (BytesIndex index = Espalier.openBytes(folder.resolve("dim.esp"))) {
      index.set(TupleWriter.encode("a", 1L), TupleWriter.encode(10L));
      index.set(TupleWriter.encode("k".repeat(65_000), 2L), TupleWriter.encode(20L));
      index.set(TupleWriter.encode("z", 3L), TupleWriter.encode(30L));
      Question<BytesIndex> whole = format.question(new int[][] {{0}, {1}});
      assertEquals(List.of(), whole.answers(index, GenericRowData.of(tooLong, 1L)));
      Question<BytesIndex> beginning = format.question(new int[][] {{0}});
      assertEquals(List.of(), beginning.answers(index, GenericRowData.of(tooLong)));

      byte[] bound = TupleWriter.encode("k".repeat(70_000));
      assertEquals(List.of(30L), values(format, index, new TupleRange(bound, null)));
      assertEquals(
          List.of(10L, 20L), values(format, index, new TupleRange(TupleRange.FIRST, bound)));
      assertEquals(List.of(), values(format, index, TupleRange.beginningWith(bound)));
    }
  }

  /** Other programs write such files, and a table may be declared with types that do not fit. */
  @Test
  void whatIsNoValueOfItsColumnIsRefused() {
    assertNoRow(new TinyIntType(), 300L);
    assertNoRow(new SmallIntType(), 1L << 15);
    assertNoRow(new IntType(), -1L - (1L << 31));
    assertNoRow(new DateType(), LocalDate.MAX);
    assertNoRow(new BigIntType(), "text");
    assertNoRow(new BooleanType(), 1L);
    assertNoRow(new FloatType(), 1.5);
    assertNoRow(new DoubleType(), 1.5f);
    assertNoRow(new VarBinaryType(), "text");
    assertNoRow(VarCharType.STRING_TYPE, new byte[1]);
    assertEquals((byte) -128, columns(new TinyIntType()).read(KEY, TupleWriter.encode(-128L))[1]);
  }

  private static TupleColumns columns(LogicalType type) {
    return new TupleColumns(List.of("k", "v"), List.of(new BigIntType(), type), new int[] {0});
  }

  private static void assertNoRow(LogicalType type, Object part) {
    TupleColumns columns = columns(type);
    byte[] value = TupleWriter.encode(part);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> columns.read(KEY, value), type::toString);
    assertEquals("an entry of the index is no row with the columns k, v", refused.getMessage());
  }

  private static List<Long> values(TupleFormat format, BytesIndex index, TupleRange range) {
    List<Long> values = new ArrayList<>();
    format.rows(index, range).forEachRemaining(row -> values.add(row.getLong(2)));
    return values;
  }

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
