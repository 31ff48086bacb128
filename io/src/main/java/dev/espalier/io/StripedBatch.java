// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Objects;

/**
 * A batch cut at the ends of blocks: for each of several files, a batch of the pieces in that file.
 */
final class StripedBatch {
  private final IoBatch[] parts;

  private StripedBatch(int files) {
    parts = new IoBatch[files];
  }

  /**
   * Cuts a batch. Block b is in file b mod n of n, as block b div n there.
   *
   * <p>What was made for a batch is attached to it and used again with its next requests.
   *
   * @param before bytes before the blocks in each file but the first
   */
  static StripedBatch cut(IoBatch batch, int files, int blockBytes, long before) {
    StripedBatch striped =
        batch.attachment instanceof StripedBatch kept && kept.parts.length == files
            ? kept
            : new StripedBatch(files);
    batch.attachment = striped;
    striped.makeRoom(batch, blockBytes);
    for (int i = 0; i < batch.count(); i++) {
      long position = batch.position(i);
      long offset = batch.offset(i);
      long end = position + batch.length(i);
      while (position < end) {
        long block = position / blockBytes;
        int within = (int) (position % blockBytes);
        int bytes = (int) Math.min(blockBytes - within, end - position);
        int file = (int) (block % files);
        long first = file == 0 ? 0 : before;
        striped.part(file).add(first + block / files * blockBytes + within, offset, bytes);
        position += bytes;
        offset += bytes;
      }
    }
    return striped;
  }

  /** Returns the cut form of a batch that was started. */
  static StripedBatch of(IoBatch batch) {
    return (StripedBatch) Objects.requireNonNull(batch.attachment, "the batch was not started");
  }

  /** Returns the requests for a file. */
  IoBatch part(int file) {
    return parts[file];
  }

  /** Returns the only file for which there are requests, or a negative number. */
  int onlyFile() {
    int only = -1;
    for (int file = 0; file < parts.length; file++) {
      if (parts[file].count() > 0) {
        if (only >= 0) {
          return -1;
        }
        only = file;
      }
    }
    return only;
  }

  private void makeRoom(IoBatch batch, int blockBytes) {
    int[] counts = new int[parts.length];
    for (int i = 0; i < batch.count(); i++) {
      long first = batch.position(i) / blockBytes;
      long last = (batch.position(i) + batch.length(i) - 1) / blockBytes;
      for (long block = first; block <= last; block++) {
        counts[(int) (block % parts.length)]++;
      }
    }
    for (int file = 0; file < parts.length; file++) {
      IoBatch part = parts[file];
      if (part == null || part.capacity() < counts[file]) {
        parts[file] = new IoBatch(batch.memory(), Math.max(counts[file], 1));
      } else {
        part.clear();
      }
    }
  }
}
