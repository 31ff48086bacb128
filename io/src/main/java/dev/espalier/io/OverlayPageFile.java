// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that stays as it is, whatever is written: written blocks go to a temporary file, which is
 * gone when this file is closed. Everything past the end of the file reads as zeros, and so does
 * all of a missing file.
 *
 * <p>Positions and lengths of requests are multiples of the bytes of a block.
 */
final class OverlayPageFile implements PageFile {
  /** Blocks that the engines take, or smaller ones where pages are. */
  private static final int MOST_BLOCK_BYTES = LogBuffer.BLOCK_BYTES;

  private final Path path;
  private final @Nullable PageFile below;
  private final int blockBytes;

  // What follows changes under the lock of this object.

  /** Blocks that were written, at the same places of the temporary file. */
  private final BitSet written = new BitSet();

  private @Nullable PageFile above;

  /** How much of the file below still counts. */
  private long belowBytes;

  private long bytes;

  /**
   * Lays itself over a file, which it closes in the end.
   *
   * @param below null if there is none
   */
  OverlayPageFile(Path path, @Nullable PageFile below, int blockBytes) {
    this.path = path;
    this.below = below;
    this.blockBytes = Math.min(blockBytes, MOST_BLOCK_BYTES);
    this.bytes = below == null ? 0 : below.bytes();
    this.belowBytes = bytes / this.blockBytes * this.blockBytes;
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public IoStatus status() {
    return below == null ? PageFiles.status() : below.status();
  }

  @Override
  public int alignment() {
    return below == null ? 1 : below.alignment();
  }

  // ---------------------------------------------------------------- transfer

  /** Where the blocks of a batch are: a batch for each of the two files. */
  private static final class Divided {
    final IoBatch fromBelow;
    final IoBatch fromAbove;

    Divided(IoBatch batch, int requests) {
      fromBelow = new IoBatch(batch.memory(), requests);
      fromAbove = new IoBatch(batch.memory(), requests);
    }
  }

  @Override
  public void startRead(IoBatch batch) {
    Divided divided = divide(batch);
    if (divided.fromAbove.count() > 0) {
      Objects.requireNonNull(above).read(divided.fromAbove);
    }
    if (divided.fromBelow.count() > 0) {
      Objects.requireNonNull(below).startRead(divided.fromBelow);
    }
  }

  private synchronized Divided divide(IoBatch batch) {
    int blocks = 0;
    for (int i = 0; i < batch.count(); i++) {
      blocks += Math.ceilDiv(batch.length(i), blockBytes);
    }
    Divided divided = new Divided(batch, Math.max(1, blocks));
    batch.attachment = divided;
    for (int i = 0; i < batch.count(); i++) {
      divide(batch, i, divided);
    }
    return divided;
  }

  /** Divides a request into runs of blocks that are in one place. */
  private void divide(IoBatch batch, int request, Divided divided) {
    long from = batch.position(request);
    long end = from + batch.length(request);
    long offset = batch.offset(request);
    while (from < end) {
      int block = (int) (from / blockBytes);
      boolean isAbove = written.get(block);
      boolean isBelow = !isAbove && from < belowBytes;
      int next = isAbove ? written.nextClearBit(block) : written.nextSetBit(block);
      long to = Math.min(end, next < 0 ? end : (long) next * blockBytes);
      to = isBelow ? Math.min(to, belowBytes) : to;
      int length = (int) (to - from);
      if (isAbove) {
        divided.fromAbove.add(from, offset, length);
      } else if (isBelow) {
        divided.fromBelow.add(from, offset, length);
      } else {
        batch.memory().asSlice(offset, length).fill((byte) 0);
      }
      offset += length;
      from = to;
    }
  }

  @Override
  public void startWrite(IoBatch batch) {
    PageFile scratch = scratch();
    IoBatch copy = new IoBatch(batch.memory(), Math.max(1, batch.count()));
    for (int i = 0; i < batch.count(); i++) {
      copy.add(batch.position(i), batch.offset(i), batch.length(i));
    }
    scratch.write(copy);
    batch.attachment = null;
    synchronized (this) {
      for (int i = 0; i < batch.count(); i++) {
        long end = batch.position(i) + batch.length(i);
        written.set((int) (batch.position(i) / blockBytes), (int) (end / blockBytes));
        bytes = Math.max(bytes, end);
      }
    }
  }

  private synchronized PageFile scratch() {
    if (above == null) {
      try {
        Path name = Files.createTempFile("espalier-", ".tmp");
        Files.delete(name);
        above = PageFiles.CHANNEL.open(name, Access.CREATE, blockBytes);
        Files.delete(name); // It lives as long as it is open.
      } catch (IOException e) {
        throw new PageFileException(path, "making a temporary file for it failed: " + e, e);
      }
    }
    return above;
  }

  @Override
  public boolean isDone(IoBatch batch) {
    return !(batch.attachment instanceof Divided divided)
        || divided.fromBelow.count() == 0
        || Objects.requireNonNull(below).isDone(divided.fromBelow);
  }

  @Override
  public void finish(IoBatch batch) {
    if (batch.attachment instanceof Divided divided && divided.fromBelow.count() > 0) {
      Objects.requireNonNull(below).finish(divided.fromBelow);
    }
  }

  // ---------------------------------------------------------------- file

  @Override
  public synchronized long bytes() {
    return bytes;
  }

  @Override
  public synchronized void grow(long least) {
    bytes = Math.max(bytes, least);
  }

  @Override
  public synchronized void truncate(long most) {
    bytes = Math.min(bytes, most);
    belowBytes = Math.min(belowBytes, most / blockBytes * blockBytes);
    int end = (int) Math.ceilDiv(most, blockBytes);
    written.clear(end, Math.max(end, written.length()));
  }

  /** Does nothing: nothing of this is to be kept. */
  @Override
  public void force() {}

  @Override
  public void close() {
    try (PageFile _ = below;
        PageFile _ = above) {
      // Both are closed, whatever becomes of one.
    }
  }
}
