// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * More structures with strings for keys to compare with, found by {@link java.util.ServiceLoader}.
 */
public interface StringPeerProvider {

  /**
   * A structure in memory.
   *
   * @param name in tables
   * @param factory makes an empty one
   */
  record InMemory(String name, Supplier<StringPeer> factory) {}

  /**
   * A store in files.
   *
   * @param name in tables
   * @param factory makes an empty one with a cache of so many bytes
   */
  record InFiles(String name, LongFunction<StringStore> factory) {}

  /** Returns the structures in memory. */
  List<InMemory> peers();

  /** Returns the stores. */
  List<InFiles> stores();
}
