// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Takes a key and its value, without boxes. */
@FunctionalInterface
public interface LongLongConsumer {

  /** Takes an entry. */
  void accept(long key, long value);
}
