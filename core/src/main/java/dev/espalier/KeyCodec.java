// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Stores keys of type {@code K} as longs, keeping their order: {@code encode(a) < encode(b)} exactly
 * when {@code a} sorts before {@code b}.
 */
public interface KeyCodec<K> {

  /** Returns the long that stands for {@code key}. */
  long encode(K key);

  /** Returns the key that {@code encode} made {@code stored} from. */
  K decode(long stored);

  /** Returns the order that is kept, or null for the natural order of {@code K}. */
  default @Nullable Comparator<? super K> comparator() {
    return null;
  }

  /** Keys that are longs, in signed order. */
  static KeyCodec<Long> ofLong() {
    return Codecs.LONG_KEY;
  }
}
