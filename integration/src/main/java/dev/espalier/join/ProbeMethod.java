// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/** How the keys of an outer batch are looked up in the index. */
public enum ProbeMethod {
  /** One key after the other, by {@link dev.espalier.LongIndex#get}. */
  SINGLE,
  /** All keys together, by {@link dev.espalier.LongIndex#getAll(long[], long[])}. */
  BATCHED
}
