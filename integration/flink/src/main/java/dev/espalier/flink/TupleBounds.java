// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.tuple.TupleWriter;
import java.time.LocalDate;
import java.util.Optional;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.types.logical.LogicalType;

/** Ranges of tuples between literals that are compared with their first part. */
final class TupleBounds implements KeyBounds<TupleRange> {
  private final LogicalType type;

  /** Makes ranges for a first part that was a column of this type. */
  TupleBounds(LogicalType type) {
    this.type = type;
  }

  @Override
  public TupleRange all() {
    return TupleRange.ALL;
  }

  @Override
  public TupleRange both(TupleRange one, TupleRange other) {
    return one.intersect(other);
  }

  @Override
  public Optional<TupleRange> from(ValueLiteralExpression literal, boolean inclusive) {
    return part(literal)
        .map(part -> new TupleRange(inclusive ? part : TupleRange.after(part), null));
  }

  @Override
  public Optional<TupleRange> to(ValueLiteralExpression literal, boolean inclusive) {
    return part(literal)
        .map(part -> new TupleRange(TupleRange.FIRST, inclusive ? TupleRange.after(part) : part));
  }

  /** Returns a literal as the first part, if both are compared as tuples are. */
  private Optional<byte[]> part(ValueLiteralExpression literal) {
    return switch (type.getTypeRoot()) {
      case TINYINT, SMALLINT, INTEGER, BIGINT -> LongRange.whole(literal).map(TupleWriter::encode);
      case VARCHAR -> literal.getValueAs(String.class).map(TupleWriter::encode);
      case DATE -> literal.getValueAs(LocalDate.class).map(TupleWriter::encode);
      default -> Optional.empty();
    };
  }
}
