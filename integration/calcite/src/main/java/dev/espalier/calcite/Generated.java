// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.lang.reflect.Method;
import org.apache.calcite.adapter.enumerable.EnumerableRelImplementor;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.function.Function1;
import org.apache.calcite.linq4j.function.Function2;
import org.apache.calcite.linq4j.tree.Expression;
import org.apache.calcite.linq4j.tree.Expressions;
import org.apache.calcite.linq4j.tree.Types;

/**
 * Expressions of the code that Calcite generates. It sees public classes only, so it calls objects
 * of this package through the interfaces of linq4j.
 */
final class Generated {
  private static final Method APPLY = Types.lookupMethod(Function1.class, "apply", Object.class);
  private static final Method APPLY_TO_TWO =
      Types.lookupMethod(Function2.class, "apply", Object.class, Object.class);

  private Generated() {}

  /** Returns the call of a function that makes rows. */
  static Expression apply(
      EnumerableRelImplementor implementor, Function1<?, ?> function, Expression argument) {
    Expression stashed = implementor.stash(function, Function1.class);
    return Expressions.convert_(Expressions.call(stashed, APPLY, argument), Enumerable.class);
  }

  /** Returns the call of a function that makes a function of two arguments, which makes rows. */
  static Expression apply(
      EnumerableRelImplementor implementor,
      Function1<?, ?> function,
      Expression argument,
      Expression first,
      Expression second) {
    Expression stashed = implementor.stash(function, Function1.class);
    Expression made =
        Expressions.convert_(Expressions.call(stashed, APPLY, argument), Function2.class);
    return Expressions.convert_(
        Expressions.call(made, APPLY_TO_TWO, first, second), Enumerable.class);
  }
}
