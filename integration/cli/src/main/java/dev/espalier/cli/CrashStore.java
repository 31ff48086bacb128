// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A store that a crash test writes, with both its indexes open. */
final class CrashStore implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;

  /** A quarter of the entries or less, so that pages are written between checkpoints. */
  private static final long POOL_BYTES = 256 << 10;

  private final IndexStore store;
  private final List<CrashIndex> indexes;
  private final WriteBatch batch = new WriteBatch();

  private CrashStore(IndexStore store, List<CrashIndex> indexes) {
    this.store = store;
    this.indexes = indexes;
  }

  /** Opens a store, which recovers it, or makes one. */
  static CrashStore open(Path path, CrashKind kind) {
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(
                kind.options(
                    FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(POOL_BYTES)))
            .withSegmentBytes(4 * StoreOptions.LEAST_SEGMENT_BYTES)
            .withCheckpointBytes(1 << 20)
            .withCheckpointTime(Duration.ofMillis(300));
    IndexStore store = IndexStore.open(path, options);
    try {
      return new CrashStore(store, List.of(kind.open(store, "0"), kind.open(store, "1")));
    } catch (RuntimeException | Error failed) {
      try {
        store.close();
      } catch (RuntimeException second) {
        failed.addSuppressed(second);
      }
      throw failed;
    }
  }

  CrashIndex index(int number) {
    return indexes.get(number);
  }

  /** Returns the number of the last batch that an index has; 0 if it has none. */
  long marker(int number) {
    return indexes.get(number).get(CrashPlan.MARKER).orElse(0);
  }

  /** Returns the number in the store's note, 0 if it has none, -1 if it has another note. */
  long note() {
    byte[] note = store.note();
    return switch (note.length) {
      case 0 -> 0;
      case Long.BYTES -> ByteBuffer.wrap(note).getLong();
      default -> -1;
    };
  }

  /** Commits, with a number as the note. */
  void commit(long number) {
    store.commit(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  void checkpoint() {
    store.checkpoint();
  }

  /** Writes what a step says. */
  void write(CrashPlan.Step step, long number) {
    for (CrashPlan.Write write : step.singles()) {
      if (write.isDelete()) {
        index(write.index()).delete(write.key());
      } else {
        index(write.index()).set(write.key(), write.value());
      }
    }
    batch.clear();
    for (CrashPlan.Write write : step.batch()) {
      if (write.isDelete()) {
        index(write.index()).addDelete(batch, write.key());
      } else {
        index(write.index()).addSet(batch, write.key(), write.value());
      }
    }
    indexes.forEach(index -> index.addSet(batch, CrashPlan.MARKER, number));
    store.write(batch);
  }

  /** Checks the store itself, without the plan. */
  void verify() {
    store.verify();
  }

  @Override
  public void close() {
    store.close();
  }
}
