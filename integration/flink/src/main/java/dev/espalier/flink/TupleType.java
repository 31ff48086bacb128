// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.tuple.TupleWriter;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Optional;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * How a field of one of Flink's types is a part of a tuple, and the other way round.
 *
 * <p>Numbers, strings, bytes and booleans are what they are; a timestamp is an instant, as if it
 * were in UTC; dates and times of day are those of tuples.
 */
enum TupleType {
  BOOLEAN,
  WHOLE_8,
  WHOLE_16,
  WHOLE_32,
  WHOLE_64,
  FLOAT,
  DOUBLE,
  DECIMAL,
  STRING,
  BYTES,
  DATE,
  TIME,
  TIMESTAMP;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Returns the type of a column, or nothing if it can't be kept. */
  static Optional<TupleType> of(LogicalType type) {
    return Optional.ofNullable(
        switch (type.getTypeRoot()) {
          case BOOLEAN -> BOOLEAN;
          case TINYINT -> WHOLE_8;
          case SMALLINT -> WHOLE_16;
          case INTEGER -> WHOLE_32;
          case BIGINT -> WHOLE_64;
          case FLOAT -> FLOAT;
          case DOUBLE -> DOUBLE;
          case DECIMAL -> DECIMAL;
          case CHAR, VARCHAR -> STRING;
          case BINARY, VARBINARY -> BYTES;
          case DATE -> DATE;
          case TIME_WITHOUT_TIME_ZONE -> TIME;
          case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> TIMESTAMP;
          default -> null;
        });
  }

  /** Returns whether values that are equal for Flink are the same part, so that it can be a key. */
  boolean isForKeys() {
    return this != FLOAT && this != DOUBLE; // Zero has two signs.
  }

  /** Adds a field in Flink's internal form, which is not null. */
  void write(TupleWriter tuple, Object field) {
    switch (this) {
      case BOOLEAN -> tuple.add((boolean) field);
      case WHOLE_8, WHOLE_16, WHOLE_32, WHOLE_64 -> tuple.add(((Number) field).longValue());
      case FLOAT -> tuple.add((float) field);
      case DOUBLE -> tuple.add((double) field);
      case DECIMAL -> tuple.add(((DecimalData) field).toBigDecimal());
      case STRING -> tuple.add(field.toString());
      case BYTES -> tuple.add((byte[]) field);
      case DATE -> tuple.add(LocalDate.ofEpochDay((int) field));
      case TIME -> tuple.add(LocalTime.ofNanoOfDay((int) field * NANOS_PER_MILLI));
      case TIMESTAMP -> tuple.add(((TimestampData) field).toInstant());
    }
  }

  /**
   * Returns a part in Flink's internal form.
   *
   * @throws ClassCastException if it is one of another type
   * @throws IllegalArgumentException if it is none that the column may have
   */
  Object read(Object part, LogicalType type) {
    return switch (this) {
      case BOOLEAN -> (Boolean) part;
      case WHOLE_8 -> (byte) whole((Long) part, Byte.MIN_VALUE, Byte.MAX_VALUE, type);
      case WHOLE_16 -> (short) whole((Long) part, Short.MIN_VALUE, Short.MAX_VALUE, type);
      case WHOLE_32 -> (int) whole((Long) part, Integer.MIN_VALUE, Integer.MAX_VALUE, type);
      case WHOLE_64 -> (Long) part;
      case FLOAT -> (Float) part;
      case DOUBLE -> (Double) part;
      case BYTES -> (byte[]) part;
      case DECIMAL -> decimal((BigDecimal) part, (DecimalType) type);
      case STRING -> StringData.fromString((String) part);
      case DATE ->
          (int) whole(((LocalDate) part).toEpochDay(), Integer.MIN_VALUE, Integer.MAX_VALUE, type);
      case TIME -> (int) (((LocalTime) part).toNanoOfDay() / NANOS_PER_MILLI);
      case TIMESTAMP -> TimestampData.fromInstant((Instant) part);
    };
  }

  private static long whole(long number, long least, long most, LogicalType type) {
    if (number < least || number > most) {
      throw new IllegalArgumentException(number + " is no " + type.asSummaryString());
    }
    return number;
  }

  private static Object decimal(BigDecimal part, DecimalType type) {
    DecimalData decimal = DecimalData.fromBigDecimal(part, type.getPrecision(), type.getScale());
    if (decimal == null) {
      throw new IllegalArgumentException(part + " is no " + type.asSummaryString());
    }
    return decimal;
  }
}
