// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.io.IndexStore;
import dev.espalier.patterns.PatternTarget;
import java.util.function.Function;

/** An index in a store of its own, with its log; nothing waits for the device. */
final class FileTarget implements PatternTarget {
  private final TemporaryFolder folder = new TemporaryFolder("patterns");
  private final IndexStore store = IndexStore.open(folder.path().resolve("store"));
  private final PatternTarget target;

  /** Makes one with the index that a function opens in the store. */
  FileTarget(Function<IndexStore, PatternTarget> index) {
    target = index.apply(store);
  }

  @Override
  public long get(long key) {
    return target.get(key);
  }

  @Override
  public void put(long key, long value) {
    target.put(key, value);
  }

  @Override
  public void remove(long key) {
    target.remove(key);
  }

  @Override
  public long first() {
    return target.first();
  }

  @Override
  public long scan(long from, int count) {
    return target.scan(from, count);
  }

  @Override
  public void removeRange(long from, long to) {
    target.removeRange(from, to);
  }

  @Override
  public void close() {
    target.close();
    store.close();
    folder.delete();
  }
}
