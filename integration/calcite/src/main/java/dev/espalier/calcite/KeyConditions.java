// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Divides a condition into a range of keys and the rest.
 *
 * @param range holds all keys of rows that fulfil the condition
 * @param rest what rows of that range must fulfil besides
 */
record KeyConditions(KeyRange range, List<RexNode> rest) {

  /**
   * Divides a condition.
   *
   * @param keyField the field that holds the key, or -1 if none does
   */
  static KeyConditions of(RexNode condition, int keyField, RexBuilder builder) {
    KeyRange range = KeyRange.ALL;
    List<RexNode> rest = new ArrayList<>();
    // BETWEEN and IN come as SEARCH.
    RexNode expanded = RexUtil.expandSearch(builder, null, condition);
    for (RexNode part : RelOptUtil.conjunctions(expanded)) {
      KeyRange exact = comparison(part, keyField);
      if (exact == null) {
        rest.add(part);
        exact = new KeyRange(hull(part, keyField), List.of());
      }
      range = range.intersect(exact);
    }
    return new KeyConditions(range, List.copyOf(rest));
  }

  /** Returns the keys for which a comparison holds, or null if it is something else. */
  private static @Nullable KeyRange comparison(RexNode node, int keyField) {
    Comparison comparison = Comparison.of(node.getKind());
    if (comparison == null) {
      return null;
    }
    RexNode left = ((RexCall) node).operands.get(0);
    RexNode right = ((RexCall) node).operands.get(1);
    if (isKey(right, keyField)) {
      comparison = Comparison.of(node.getKind().reverse());
      right = left;
    } else if (!isKey(left, keyField)) {
      return null;
    }
    if (comparison == null) {
      return null;
    }
    if (right instanceof RexLiteral literal) {
      Long number = number(literal);
      return number == null ? null : new KeyRange(comparison.with(number), List.of());
    }
    if (right instanceof RexDynamicParam parameter
        && SqlTypeName.INT_TYPES.contains(parameter.getType().getSqlTypeName())) {
      return new KeyRange(
          LongRange.ALL, List.of(new KeyRange.Bound(comparison, parameter.getName())));
    }
    return null;
  }

  private static boolean isKey(RexNode node, int keyField) {
    return node instanceof RexInputRef reference && reference.getIndex() == keyField;
  }

  private static @Nullable Long number(RexLiteral literal) {
    if (!SqlTypeName.INT_TYPES.contains(literal.getType().getSqlTypeName())) {
      return null;
    }
    BigDecimal number = literal.getValueAs(BigDecimal.class);
    return number == null ? null : (Long) number.longValueExact();
  }

  /** Returns a range that has all keys for which a condition may hold. */
  private static LongRange hull(RexNode node, int keyField) {
    if (node.getKind() == SqlKind.OR) {
      LongRange hull = LongRange.NONE;
      for (RexNode operand : ((RexCall) node).operands) {
        hull = hull.hull(hull(operand, keyField));
      }
      return hull;
    }
    if (node.getKind() == SqlKind.AND) {
      LongRange range = LongRange.ALL;
      for (RexNode operand : ((RexCall) node).operands) {
        range = range.intersect(hull(operand, keyField));
      }
      return range;
    }
    KeyRange exact = comparison(node, keyField);
    return exact == null ? LongRange.ALL : exact.constant();
  }
}
