// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/** How many keys are looked up in an index. */
public enum ProbeMethod {
  /** One key after the other, by {@link dev.espalier.LongIndex#get}. */
  SINGLE,
  /** Some dozens at a time go down level by level, so that their cache misses overlap. */
  GROUP,
  /** Sorted first, so that one after the other finds its nodes in the cache. */
  SORTED,
  /** They wait at the nodes on their way until there are many: {@link BufferedAccess}. */
  BUFFERED,
  /** Whichever of the others costs least: {@link BatchLookup#choose}. */
  AUTO
}
