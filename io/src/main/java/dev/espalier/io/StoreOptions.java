// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.time.Duration;
import java.util.Objects;

/**
 * What a store is opened or made with.
 *
 * @param files how its file is opened and its pages are kept in memory; the variant is the tree of
 *     new indexes, and the one with which indexes whose tree has its name are opened, unless their
 *     geometry is another: an index keeps its geometry, which nobody needs to know to open it
 * @param durability when writes are safe from a crash
 * @param segmentBytes minimum size of a file of the log in bytes, a multiple of 4096; used for a
 *     new store only
 * @param checkpointBytes bytes of the log after which a checkpoint is made in the background: a
 *     larger value makes checkpoints rarer, and opening after a crash slower
 * @param checkpointTime time after which a checkpoint is made if anything was written
 */
public record StoreOptions(
    FileOptions files,
    Durability durability,
    int segmentBytes,
    long checkpointBytes,
    Duration checkpointTime) {

  /**
   * The default minimum size of a file of the log, in bytes. There are at least two such files
   * while a store is open.
   */
  public static final int DEFAULT_SEGMENT_BYTES = 1 << 20;

  /** The smallest files that a log can have. */
  public static final int LEAST_SEGMENT_BYTES = 16 << 10;

  /** The largest {@code segmentBytes}. */
  public static final int MOST_SEGMENT_BYTES = 1 << 30;

  /**
   * The default options: writes are safe after a commit, segments have 1 MiB, and checkpoints are
   * made after 256 MiB of log or five minutes.
   */
  public static final StoreOptions DEFAULT =
      new StoreOptions(
          FileOptions.DEFAULT,
          Durability.ON_COMMIT,
          DEFAULT_SEGMENT_BYTES,
          256L << 20,
          Duration.ofMinutes(5));

  /** Checks the parts. */
  public StoreOptions {
    Objects.requireNonNull(files, "files");
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(checkpointTime, "checkpointTime");
    if (segmentBytes < LEAST_SEGMENT_BYTES
        || segmentBytes > MOST_SEGMENT_BYTES
        || segmentBytes % LogBuffer.BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "segmentBytes is %d; it must be a multiple of %d from %d to %d"
              .formatted(
                  segmentBytes, LogBuffer.BLOCK_BYTES, LEAST_SEGMENT_BYTES, MOST_SEGMENT_BYTES));
    }
    if (checkpointBytes < 1) {
      throw new IllegalArgumentException(
          "checkpointBytes is " + checkpointBytes + "; it must be positive");
    }
    if (checkpointTime.compareTo(Duration.ofMillis(1)) < 0) {
      throw new IllegalArgumentException(
          "checkpointTime is " + checkpointTime + "; it must be a millisecond at least");
    }
  }

  /** Returns these options with other options for the file. */
  public StoreOptions withFiles(FileOptions options) {
    return new StoreOptions(options, durability, segmentBytes, checkpointBytes, checkpointTime);
  }

  /** Returns these options with another durability. */
  public StoreOptions withDurability(Durability promise) {
    return new StoreOptions(files, promise, segmentBytes, checkpointBytes, checkpointTime);
  }

  /** Returns these options with another minimum size of a file of the log. */
  public StoreOptions withSegmentBytes(int bytes) {
    return new StoreOptions(files, durability, bytes, checkpointBytes, checkpointTime);
  }

  /** Returns these options with checkpoints after another amount of log. */
  public StoreOptions withCheckpointBytes(long bytes) {
    return new StoreOptions(files, durability, segmentBytes, bytes, checkpointTime);
  }

  /** Returns these options with checkpoints after another time. */
  public StoreOptions withCheckpointTime(Duration time) {
    return new StoreOptions(files, durability, segmentBytes, checkpointBytes, time);
  }
}
