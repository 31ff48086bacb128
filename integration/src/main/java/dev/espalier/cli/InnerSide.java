// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.join.OuterSource;
import dev.espalier.join.ProbeMethod;
import java.util.List;

/** A structure that holds the inner side of a join and is probed with the outer side. */
interface InnerSide extends AutoCloseable {

  /**
   * Returns the bytes of memory it takes.
   *
   * @param heapGrowth by how many bytes the Java heap grew when it was built, as far as the garbage
   *     collector can tell: the answer for what lives there
   */
  long bytes(long heapGrowth);

  /** Joins all rows of the outer side. */
  JoinDigest join(OuterSource outer, ProbeMethod method, int batchSize);

  @Override
  void close();

  /**
   * A kind of inner side.
   *
   * @param name of the index or map
   * @param methods how it can be probed
   * @param builder puts keys, ascending, into a new one, with their row numbers as values
   */
  record Kind(String name, List<ProbeMethod> methods, Builder builder) {}

  /** Makes an inner side. */
  @FunctionalInterface
  interface Builder {
    InnerSide build(long[] keys);
  }
}
