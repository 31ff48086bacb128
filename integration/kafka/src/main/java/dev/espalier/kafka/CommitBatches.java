// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.IndexStore;
import dev.espalier.io.WriteBatch;
import java.util.function.IntConsumer;

/** The changes of one commit: in one batch if they fit, or in several, one after the other. */
final class CommitBatches {
  /**
   * How much a batch takes.
   *
   * @param writes how many writes
   * @param bytes how many bytes of keys and values
   */
  record Limit(int writes, long bytes) {
    static final Limit OF_A_BATCH = new Limit(WriteBatch.MOST_WRITES, WriteBatch.MOST_BYTES);
  }

  private final IndexStore file;
  private final Limit limit;
  private final IntConsumer beforePart;
  private final WriteBatch batch = new WriteBatch();
  private long bytes;
  private int parts;

  /**
   * Begins without changes.
   *
   * @param beforePart is given the number of each batch that is followed by another, from 0, before
   *     it is written
   */
  CommitBatches(IndexStore file, Limit limit, IntConsumer beforePart) {
    this.file = file;
    this.limit = limit;
    this.beforePart = beforePart;
  }

  void set(BytesIndex index, byte[] key, byte[] value) {
    makeRoom((long) key.length + value.length);
    batch.set(index, key, value);
  }

  void delete(BytesIndex index, byte[] key) {
    makeRoom(key.length);
    batch.delete(index, key);
  }

  private void makeRoom(long more) {
    if (batch.size() == limit.writes || bytes + more > limit.bytes) {
      beforePart.accept(parts++);
      file.write(batch);
      batch.clear();
      bytes = 0;
    }
    bytes += more;
  }

  /** Writes what is left. */
  void end() {
    file.write(batch);
  }
}
