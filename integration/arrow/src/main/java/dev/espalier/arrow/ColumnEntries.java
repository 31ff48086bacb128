// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import dev.espalier.LongEntrySource;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.ValueReader;
import java.lang.foreign.MemorySegment;

/**
 * Columns as the entries of a bulkload: {@code index.bulkload(ColumnEntries.of(keys, values), 1.0,
 * keys.count(), ProgressListener.NONE)}. The keys must ascend strictly, which the bulkload checks.
 *
 * <p>An index has no nulls: at the first one, {@code next} throws an {@link
 * IllegalArgumentException} that names its row.
 */
public final class ColumnEntries {
  private ColumnEntries() {}

  /**
   * Returns the rows of two columns as entries, which are not copied.
   *
   * @throws IllegalArgumentException if the columns differ in count
   */
  public static LongEntrySource of(LongColumn keys, LongColumn values) {
    Columns.checkEqualCounts(keys.count(), values.count());
    return new Longs(keys, values);
  }

  /**
   * Returns the rows of two columns as entries, which are not copied.
   *
   * @throws IllegalArgumentException if the columns differ in count
   */
  public static BytesEntrySource of(BytesColumn keys, BytesColumn values) {
    Columns.checkEqualCounts(keys.count(), values.count());
    return new Bytes(keys, values);
  }

  private static void checkNoNull(boolean keyIsValid, boolean valueIsValid, long row) {
    if (!keyIsValid || !valueIsValid) {
      throw new IllegalArgumentException(
          "the %s of row %d is null".formatted(keyIsValid ? "value" : "key", row));
    }
  }

  private static final class Longs implements LongEntrySource {
    private final LongColumn keys;
    private final LongColumn values;
    private long row = -1;

    Longs(LongColumn keys, LongColumn values) {
      this.keys = keys;
      this.values = values;
    }

    @Override
    public boolean next() {
      if (row + 1 >= keys.count()) {
        return false;
      }
      row++;
      checkNoNull(keys.isValid(row), values.isValid(row), row);
      return true;
    }

    @Override
    public long key() {
      return keys.value(row);
    }

    @Override
    public long value() {
      return values.value(row);
    }
  }

  private static final class Bytes implements BytesEntrySource {
    private final BytesColumn keys;
    private final BytesColumn values;
    private int row = -1;

    Bytes(BytesColumn keys, BytesColumn values) {
      this.keys = keys;
      this.values = values;
    }

    @Override
    public boolean next() {
      if (row + 1 >= keys.count()) {
        return false;
      }
      row++;
      checkNoNull(keys.isValid(row), values.isValid(row), row);
      return true;
    }

    @Override
    public MemorySegment key() {
      return keys.value(row);
    }

    @Override
    public void value(ValueReader reader) {
      MemorySegment value = values.value(row);
      reader.read(value.asReadOnly(), 0, value.byteSize(), 0, value.byteSize());
    }

    @Override
    public long valueBytes() {
      return values.value(row).byteSize();
    }
  }
}
