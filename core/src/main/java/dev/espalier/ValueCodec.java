// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Stores values of type {@code V} as longs. */
public interface ValueCodec<V> {

  /** Returns the long that stands for {@code value}. */
  long encode(V value);

  /** Returns the value that {@code encode} made {@code stored} from. */
  V decode(long stored);

  /** Values that are longs. */
  static ValueCodec<Long> ofLong() {
    return Codecs.LONG_VALUE;
  }
}
