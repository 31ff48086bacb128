// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.util.List;
import java.util.Optional;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;

/** Turns conditions of a query into ranges of keys, where they are such. */
final class KeyConditions {
  private final String keyName;

  KeyConditions(String keyName) {
    this.keyName = keyName;
  }

  /** Returns the keys that fulfil a condition, or nothing if it is not one of the key alone. */
  Optional<LongRange> range(ResolvedExpression condition) {
    if (!(condition instanceof CallExpression call)) {
      return Optional.empty();
    }
    FunctionDefinition function = call.getFunctionDefinition();
    List<ResolvedExpression> operands = call.getResolvedChildren();
    if (function.equals(BuiltInFunctionDefinitions.AND)) {
      return all(operands);
    }
    if (function.equals(BuiltInFunctionDefinitions.BETWEEN)) {
      return between(operands);
    }
    if (operands.size() != 2) {
      return Optional.empty();
    }
    ResolvedExpression left = operands.get(0);
    ResolvedExpression right = operands.get(1);
    if (isKey(left)) {
      return literal(right).flatMap(value -> comparison(function, value));
    }
    if (isKey(right)) {
      return literal(left).flatMap(value -> comparison(mirrored(function), value));
    }
    return Optional.empty();
  }

  private Optional<LongRange> all(List<ResolvedExpression> operands) {
    LongRange both = LongRange.ALL;
    for (ResolvedExpression operand : operands) {
      Optional<LongRange> one = range(operand);
      if (one.isEmpty()) {
        return one;
      }
      both = both.intersect(one.get());
    }
    return Optional.of(both);
  }

  private Optional<LongRange> between(List<ResolvedExpression> operands) {
    if (!isKey(operands.get(0))) {
      return Optional.empty();
    }
    return literal(operands.get(1))
        .flatMap(from -> literal(operands.get(2)).map(to -> new LongRange(from, to)));
  }

  private boolean isKey(ResolvedExpression operand) {
    return operand instanceof FieldReferenceExpression field && field.getName().equals(keyName);
  }

  private static Optional<Long> literal(ResolvedExpression operand) {
    return operand instanceof ValueLiteralExpression value
        ? value.getValueAs(Number.class).flatMap(KeyConditions::whole)
        : Optional.empty();
  }

  private static Optional<Long> whole(Number number) {
    return number instanceof Long
            || number instanceof Integer
            || number instanceof Short
            || number instanceof Byte
        ? Optional.of(number.longValue())
        : Optional.empty();
  }

  /** Returns the comparison with its operands exchanged. */
  private static FunctionDefinition mirrored(FunctionDefinition function) {
    if (function.equals(BuiltInFunctionDefinitions.GREATER_THAN)) {
      return BuiltInFunctionDefinitions.LESS_THAN;
    }
    if (function.equals(BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL)) {
      return BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL;
    }
    if (function.equals(BuiltInFunctionDefinitions.LESS_THAN)) {
      return BuiltInFunctionDefinitions.GREATER_THAN;
    }
    if (function.equals(BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL)) {
      return BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL;
    }
    return function;
  }

  private static Optional<LongRange> comparison(FunctionDefinition function, long value) {
    if (function.equals(BuiltInFunctionDefinitions.EQUALS)) {
      return Optional.of(LongRange.only(value));
    }
    if (function.equals(BuiltInFunctionDefinitions.GREATER_THAN)) {
      return Optional.of(LongRange.above(value));
    }
    if (function.equals(BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL)) {
      return Optional.of(LongRange.atLeast(value));
    }
    if (function.equals(BuiltInFunctionDefinitions.LESS_THAN)) {
      return Optional.of(LongRange.below(value));
    }
    if (function.equals(BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL)) {
      return Optional.of(LongRange.atMost(value));
    }
    return Optional.empty();
  }
}
