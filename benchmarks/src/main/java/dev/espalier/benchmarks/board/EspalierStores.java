// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.LongIndex;
import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.blink.BLinkTree;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Indexes;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Espalier's rows. They keep their names when a better index takes the place of one, so that the
 * board shows what that gains.
 */
final class EspalierStores {
  private static final String NAME = "entries";

  private EspalierStores() {}

  /** Returns the rows. */
  static List<StoreType> all() {
    return List.of(
        new StoreType(
            "Espalier",
            true,
            "in memory: `Indexes.create()`, for strings `Indexes.createBytes()`; in a file: the"
                + " index that a store has by default, with default options but the pool. Durable:"
                + " a `WriteBatch` and `commit()`. As it comes: `IndexStore.open(path)`, and its"
                + " `index(name)` or `bytesIndex(name)`",
            _ -> true,
            EspalierStores::usual),
        new StoreType(
            "Espalier, BLinkTree",
            true,
            "the same, with `BLinkTree` in the file, which needs no lock",
            setting ->
                setting.isOfLongs()
                    && setting.data() != Setting.Data.MEMORY
                    && !setting.isAsItComes(),
            setting -> {
              StoreInFile file = new StoreInFile(setting);
              LongIndex index = file.store.index(NAME, BLinkTree.VARIANT);
              return new Longs(index, file);
            }));
  }

  private static BoardStore usual(Setting setting) {
    if (setting.data() == Setting.Data.MEMORY) {
      return setting.isOfLongs()
          ? new Longs(Indexes.create(), null)
          : new Strings(Indexes.createBytes(), setting, null);
    }
    StoreInFile file = new StoreInFile(setting);
    return setting.isOfLongs()
        ? new Longs(file.store.index(NAME), file)
        : new Strings(file.store.bytesIndex(NAME), setting, file);
  }

  /** A store in a folder of its own. */
  private static final class StoreInFile implements BatchWriter {
    private final TemporaryFolder folder = new TemporaryFolder("board");
    private final boolean isDurable;
    private final IndexStore store;

    StoreInFile(Setting setting) {
      isDurable = setting.isDurable();
      Path path = folder.path().resolve("store");
      store =
          setting.isAsItComes()
              ? IndexStore.open(path)
              : IndexStore.open(
                  path,
                  StoreOptions.DEFAULT.withFiles(
                      FileOptions.DEFAULT.withPoolBytes(setting.poolBytes())));
    }

    @Override
    public void write(WriteBatch batch) {
      store.write(batch);
      if (isDurable) {
        store.commit();
      }
    }

    void close() {
      store.close();
      folder.delete();
    }
  }

  private static final class Longs implements BoardStore {
    private final LongIndex index;
    private final @Nullable StoreInFile file;

    Longs(LongIndex index, @Nullable StoreInFile file) {
      this.index = index;
      this.file = file;
    }

    @Override
    public BoardSession session(int threads) {
      return new LongIndexSession(index, file);
    }

    @Override
    public void close() {
      if (file == null) {
        index.close();
      } else {
        file.close();
      }
    }
  }

  private static final class Strings implements BoardStore {
    private final BytesIndex index;
    private final Coding coding;
    private final @Nullable StoreInFile file;

    Strings(BytesIndex index, Setting setting, @Nullable StoreInFile file) {
      this.index = index;
      this.coding = new Coding(setting.kind());
      this.file = file;
    }

    @Override
    public BoardSession session(int threads) {
      return new BytesIndexSession(index, coding, file);
    }

    @Override
    public void close() {
      if (file == null) {
        index.close();
      } else {
        file.close();
      }
    }
  }
}
