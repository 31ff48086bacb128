// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.LongIndex;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.CacheAnalysis;
import dev.espalier.batch.VirtualNodes;

/** Chooses virtual nodes for a tree. */
@FunctionalInterface
interface Placement {
  /** Those that the library takes on this machine. */
  Placement OF_THIS_MACHINE = index -> BatchLookup.of(index).costs().nodes();

  /** Returns those that the paper's cache analysis finds for a cache. */
  static Placement forCache(long bytes) {
    return index -> CacheAnalysis.of(index).virtualNodes(bytes);
  }

  VirtualNodes nodesOf(LongIndex index);
}
