// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import java.util.Map;

/**
 * What came out for each setting.
 *
 * @param <S> a setting
 * @param <V> what came out
 */
record Found<S, V>(Map<S, V> bySetting) {

  /** Returns what came out for a setting that was run. */
  V of(S setting) {
    V value = bySetting.get(setting);
    if (value == null) {
      throw new IllegalArgumentException("nothing was run as " + setting);
    }
    return value;
  }
}
