// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.jspecify.annotations.Nullable;

/**
 * Turns conditions of a query into ranges of keys, where they are such.
 *
 * @param <R> the kind of range
 */
final class KeyConditions<R> {
  private final String keyName;
  private final KeyBounds<R> bounds;

  KeyConditions(String keyName, KeyBounds<R> bounds) {
    this.keyName = keyName;
    this.bounds = bounds;
  }

  /** How a key and a literal are compared. */
  private enum Comparison {
    EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL;

    private static final Map<FunctionDefinition, Comparison> BY_FUNCTION =
        Map.of(
            BuiltInFunctionDefinitions.EQUALS, EQUAL,
            BuiltInFunctionDefinitions.GREATER_THAN, GREATER,
            BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL, GREATER_OR_EQUAL,
            BuiltInFunctionDefinitions.LESS_THAN, LESS,
            BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL, LESS_OR_EQUAL);

    /** Returns the comparison with its operands exchanged. */
    Comparison mirrored() {
      return switch (this) {
        case EQUAL -> EQUAL;
        case GREATER -> LESS;
        case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
        case LESS -> GREATER;
        case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
      };
    }
  }

  /** Returns the keys that fulfil a condition, or nothing if it is not one of the key alone. */
  Optional<R> range(ResolvedExpression condition) {
    if (!(condition instanceof CallExpression call)) {
      return Optional.empty();
    }
    FunctionDefinition function = call.getFunctionDefinition();
    List<ResolvedExpression> operands = call.getResolvedChildren();
    if (function.equals(BuiltInFunctionDefinitions.AND)) {
      return all(operands);
    }
    if (function.equals(BuiltInFunctionDefinitions.BETWEEN)) {
      return isKey(operands.get(0))
          ? both(
              range(Comparison.GREATER_OR_EQUAL, operands.get(1)),
              range(Comparison.LESS_OR_EQUAL, operands.get(2)))
          : Optional.empty();
    }
    @Nullable Comparison comparison = Comparison.BY_FUNCTION.get(function);
    if (comparison == null) {
      return Optional.empty();
    }
    ResolvedExpression left = operands.get(0);
    ResolvedExpression right = operands.get(1);
    if (isKey(left)) {
      return range(comparison, right);
    }
    return isKey(right) ? range(comparison.mirrored(), left) : Optional.empty();
  }

  private Optional<R> all(List<ResolvedExpression> operands) {
    Optional<R> all = Optional.of(bounds.all());
    for (ResolvedExpression operand : operands) {
      all = both(all, range(operand));
    }
    return all;
  }

  private Optional<R> both(Optional<R> one, Optional<R> other) {
    return one.flatMap(first -> other.map(second -> bounds.both(first, second)));
  }

  private boolean isKey(ResolvedExpression operand) {
    return operand instanceof FieldReferenceExpression field && field.getName().equals(keyName);
  }

  private Optional<R> range(Comparison comparison, ResolvedExpression operand) {
    if (!(operand instanceof ValueLiteralExpression literal)) {
      return Optional.empty();
    }
    return switch (comparison) {
      case EQUAL -> both(bounds.from(literal, true), bounds.to(literal, true));
      case GREATER -> bounds.from(literal, false);
      case GREATER_OR_EQUAL -> bounds.from(literal, true);
      case LESS -> bounds.to(literal, false);
      case LESS_OR_EQUAL -> bounds.to(literal, true);
    };
  }
}
