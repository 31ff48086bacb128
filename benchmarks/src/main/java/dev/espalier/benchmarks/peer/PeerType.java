// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import java.util.function.Supplier;

/**
 * A structure that benchmarks can name.
 *
 * @param name what {@code -p index=} takes
 * @param heapBytesPerEntry about how much Java heap an entry takes, to size the heap with; 0 for
 *     structures that live elsewhere
 * @param factory makes an empty structure
 */
public record PeerType(String name, int heapBytesPerEntry, Supplier<Peer> factory) {

  /** Makes an empty structure. */
  public Peer create() {
    return factory.get();
  }
}
