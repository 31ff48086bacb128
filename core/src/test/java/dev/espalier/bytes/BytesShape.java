// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.LongFunction;

/**
 * A way to make indexes of byte strings, which the laws of {@link BytesContract} are checked for.
 *
 * @param factory makes an empty index that takes at most so many bytes of memory
 * @param limit bytes in which there is room for a hundred short entries, and none for a thousand of
 *     1,000 bytes
 */
public record BytesShape(
    String name, LongFunction<? extends BytesIndex> factory, long limit, int thoroughly) {

  BytesShape(String name, LongFunction<? extends BytesIndex> factory, long limit) {
    this(name, factory, limit, 8);
  }

  /** In place of a limit: the index takes what it is given. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** Returns the shapes of another module's tests, if they run, or else those in memory. */
  static List<BytesShape> all() {
    return ServiceLoader.load(BytesShapeSource.class)
        .findFirst()
        .map(BytesShapeSource::shapes)
        .orElseGet(BytesShape::inMemory);
  }

  private static List<BytesShape> inMemory() {
    BytesShape locked =
        new BytesShape(
            "PrefixBPlusTree 1024, locked",
            limit ->
                PrefixBPlusTree.create(IndexOptions.DEFAULT.withMemoryLimit(limit), 1024)
                    .withReadWriteLock(),
            400_000);
    BytesShape onHeap = new BytesShape("HeapBytesIndex", HeapBytesIndex::new, 200_000);
    return TestSize.isThorough()
        ? List.of(
            onHeap,
            prefix(512),
            prefix(1024),
            prefix(4096),
            prefix(65_536),
            locked,
            concurrent(512),
            concurrent(4096),
            concurrent(65_536))
        : List.of(onHeap, prefix(512), prefix(4096), locked, concurrent(512), concurrent(4096));
  }

  private static BytesShape concurrent(int pageBytes) {
    return new BytesShape(
        "ConcurrentPrefixBPlusTree " + pageBytes,
        limit ->
            ConcurrentPrefixBPlusTree.create(
                IndexOptions.DEFAULT.withMemoryLimit(limit), pageBytes),
        400_000);
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

  boolean hasLimit() {
    return limit != NO_LIMIT;
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
