// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.tuple.TupleWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** A question about rows that are tuples: about one, or about all whose keys begin alike. */
final class TupleQuestion implements Question<BytesIndex> {
  private static final long serialVersionUID = 1;

  private final TupleFormat format;
  private final TupleColumns columns;

  /** For each field that the join brings the column it is compared with. */
  private final int[] asked;

  private final RowData.FieldGetter[] getters;

  /** The fields that are the beginning of the key, or all of it, in its order. */
  private final int[] keyFields;

  /**
   * Makes the question of a lookup join.
   *
   * @throws IllegalArgumentException if the first column of the key is not among those asked
   */
  TupleQuestion(TupleFormat format, TupleColumns columns, int[] asked) {
    this.format = format;
    this.columns = columns;
    this.asked = asked;
    this.getters = new RowData.FieldGetter[asked.length];
    for (int field = 0; field < asked.length; field++) {
      getters[field] = columns.getter(asked[field], field);
    }
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < columns.keyCount(); i++) {
      int field = fieldOf(columns.keyColumn(i));
      if (field < 0) {
        break;
      }
      found.add(field);
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "the first column of the key is not among the fields of the join");
    }
    this.keyFields = found.stream().mapToInt(field -> field).toArray();
  }

  private int fieldOf(int column) {
    for (int field = 0; field < asked.length; field++) {
      if (asked[field] == column) {
        return field;
      }
    }
    return -1;
  }

  @Override
  public boolean mayHaveAnswer(RowData brought) {
    for (int field = 0; field < asked.length; field++) {
      if (brought.isNullAt(field)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int shard(RowData brought, int shards) {
    TupleWriter part = new TupleWriter();
    write(part, brought, keyFields[0]);
    return Shards.of(part.toBytes(), part.size(), shards);
  }

  private void write(TupleWriter tuple, RowData brought, int field) {
    columns.write(tuple, asked[field], getters[field].getFieldOrNull(brought));
  }

  @Override
  public Collection<RowData> answers(BytesIndex index, RowData brought) {
    TupleWriter tuple = new TupleWriter();
    for (int field : keyFields) {
      write(tuple, brought, field);
    }
    byte[] parts = tuple.toBytes();
    List<RowData> answers = new ArrayList<>(1);
    if (keyFields.length == columns.keyCount()) {
      boolean mayBeThere = parts.length <= BytesIndex.MAX_KEY && format.range().contains(parts);
      byte[] rest = mayBeThere ? index.get(parts) : null;
      if (rest != null) {
        addIfEqual(answers, brought, columns.read(parts, rest));
      }
      return answers;
    }
    TupleRange keys = TupleRange.beginningWith(parts).intersect(format.range());
    BytesCursor cursor = index.cursor();
    boolean isOnEntry = keys.goToFirst(cursor);
    while (isOnEntry) {
      byte[] key = cursor.keyArray();
      if (keys.isBefore(key)) {
        break;
      }
      addIfEqual(answers, brought, columns.read(key, cursor.valueArray()));
      isOnEntry = cursor.next();
    }
    return answers;
  }

  /** Adds a row if all fields that were brought are equal to its own. */
  private void addIfEqual(List<RowData> answers, RowData brought, @Nullable Object[] row) {
    for (int field = 0; field < asked.length; field++) {
      if (!areEqual(getters[field].getFieldOrNull(brought), row[asked[field]])) {
        return;
      }
    }
    answers.add(format.row(row));
  }

  /** Compares fields as SQL does: zero is equal to zero of the other sign, NaN to nothing. */
  static boolean areEqual(@Nullable Object brought, @Nullable Object own) {
    if (brought instanceof Double one && own instanceof Double other) {
      return one.doubleValue() == other.doubleValue();
    }
    if (brought instanceof Float one && own instanceof Float other) {
      return one.floatValue() == other.floatValue();
    }
    return Objects.deepEquals(brought, own);
  }

  @Override
  public int fields() {
    return asked.length;
  }
}
