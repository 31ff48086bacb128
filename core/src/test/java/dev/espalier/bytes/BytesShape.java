// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.IndexOptions;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.List;
import java.util.function.LongFunction;

/**
 * A way to make indexes of byte strings, which the laws of {@link BytesContract} are checked for.
 *
 * @param factory makes an empty index that takes at most so many bytes of memory
 * @param limit bytes in which there is room for a hundred short entries, and none for a thousand of
 *     1,000 bytes
 */
record BytesShape(String name, LongFunction<? extends BytesIndex> factory, long limit) {

  /** Returns all shapes. */
  static List<BytesShape> all() {
    return List.of(
        new BytesShape("HeapBytesIndex", HeapBytesIndex::new, 200_000),
        prefix(512),
        prefix(1024),
        prefix(4096),
        prefix(65_536));
  }

  private static BytesShape prefix(int pageBytes) {
    return new BytesShape(
        "PrefixBPlusTree " + pageBytes,
        limit -> PrefixBPlusTree.create(IndexOptions.DEFAULT.withMemoryLimit(limit), pageBytes),
        400_000);
  }

  /** Returns an empty index. */
  BytesIndex create() {
    return factory.apply(Long.MAX_VALUE);
  }

  /** Returns an empty index that is soon full. */
  BytesIndex createSmall() {
    return factory.apply(limit);
  }

  @Override
  public String toString() {
    return name;
  }
}
