// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;
import java.nio.file.Path;

/** An index of byte strings in a store of Espalier's. */
public final class BytesIndexStore implements StringStore {
  private static final String NAME = "strings";

  private final TemporaryFolder folder = new TemporaryFolder("strings");
  private final Path path = folder.path().resolve("store");
  private final WriteBatch batch = new WriteBatch();
  private final int pageBytes;
  private IndexStore store;
  private BytesIndex index;

  /** Makes an empty store. */
  public BytesIndexStore(long poolBytes, int pageBytes) {
    this.pageBytes = pageBytes;
    store = open(poolBytes);
    index = store.bytesIndex(NAME);
  }

  private IndexStore open(long poolBytes, FileOption... flags) {
    return IndexStore.open(
        path,
        StoreOptions.DEFAULT.withFiles(
            FileOptions.DEFAULT
                .withPageBytes(pageBytes)
                .withPoolBytes(poolBytes)
                .withFlags(flags)));
  }

  @Override
  public void putTogether(StringEntries entries, int from, int to) {
    batch.clear();
    for (int i = from; i < to; i++) {
      batch.set(index, entries.keys().array(i), entries.valueArray(i));
    }
    store.write(batch);
    store.commit();
  }

  @Override
  public void reopen(long cacheBytes) {
    store.close();
    store = open(cacheBytes, FileOption.READ_ONLY);
    index = store.bytesIndex(NAME);
  }

  @Override
  public long getAll(PackedStrings probes, int group) {
    // Not closed, as the store is not to be.
    return new BytesIndexPeer(index).getAll(probes, group);
  }

  @Override
  public void close() {
    store.close();
    folder.delete();
  }
}
