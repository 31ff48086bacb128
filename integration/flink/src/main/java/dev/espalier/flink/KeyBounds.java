// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.util.Optional;
import org.apache.flink.table.expressions.ValueLiteralExpression;

/**
 * Makes ranges of keys.
 *
 * @param <R> the kind of range
 */
interface KeyBounds<R> {

  /** Returns the range of all keys. */
  R all();

  /** Returns the keys that are in both ranges. */
  R both(R one, R other);

  /** Returns the keys from a literal on, unless it is none that a key can be compared with. */
  Optional<R> from(ValueLiteralExpression literal, boolean inclusive);

  /** Returns the keys up to a literal, unless it is none that a key can be compared with. */
  Optional<R> to(ValueLiteralExpression literal, boolean inclusive);
}
