// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * A temporary file with sorted runs of entries, one after the other. Where the system allows it,
 * the file has no name while it is open, so nothing is left of it however the process ends.
 *
 * <p>It is not read and written through a {@code FileChannel}, which an interrupt would close.
 */
final class SpillFile implements AutoCloseable {
  /** The most bytes moved at once: they are copied on their way, so they should stay in a cache. */
  private static final int TRANSFER_BYTES = 64 << 10;

  private final RandomAccessFile file;
  private final byte[] transferred = new byte[TRANSFER_BYTES];
  private final Path folder;
  private long bytes;

  /** Wraps an open file. */
  SpillFile(RandomAccessFile file, Path folder) {
    this.file = file;
    this.folder = folder;
  }

  /** Opens such files; a test may open something else. */
  @FunctionalInterface
  interface Opener {
    RandomAccessFile open(Path folder) throws IOException;
  }

  /**
   * Creates a file.
   *
   * @throws UncheckedIOException if that is not possible
   */
  static SpillFile create(Path folder, Opener opener) {
    try {
      return new SpillFile(opener.open(folder), folder);
    } catch (IOException e) {
      throw new UncheckedIOException(
          new IOException("can't make a temporary file in %s: %s".formatted(folder, reason(e)), e));
    }
  }

  /** Returns the number of bytes written so far, which is where the next ones go. */
  long bytes() {
    return bytes;
  }

  /**
   * Writes at the end.
   *
   * @throws UncheckedIOException if the disk is full, or fails
   */
  void append(MemorySegment source) {
    try {
      file.seek(bytes);
      for (long from = 0; from < source.byteSize(); from += TRANSFER_BYTES) {
        int size = (int) Math.min(TRANSFER_BYTES, source.byteSize() - from);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, from, transferred, 0, size);
        file.write(transferred, 0, size);
        bytes += size;
      }
    } catch (IOException e) {
      throw failure("write", e);
    }
  }

  /**
   * Reads.
   *
   * @param target is filled
   * @throws UncheckedIOException if that is not possible
   */
  void read(long position, MemorySegment target) {
    try {
      file.seek(position);
      long to = 0;
      while (to < target.byteSize()) {
        int most = (int) Math.min(TRANSFER_BYTES, target.byteSize() - to);
        int size = file.read(transferred, 0, most);
        if (size < 0) {
          throw new IOException("it ends at byte " + file.length());
        }
        MemorySegment.copy(transferred, 0, target, ValueLayout.JAVA_BYTE, to, size);
        to += size;
      }
    } catch (IOException e) {
      throw failure("read", e);
    }
  }

  private UncheckedIOException failure(String what, IOException e) {
    return new UncheckedIOException(
        new IOException(
            "can't %s the temporary file of a sort in %s, which has %,d bytes: %s"
                .formatted(what, folder, bytes, reason(e)),
            e));
  }

  /**
   * Returns only the message of a system error, but all of another exception, which may name a
   * file.
   */
  private static String reason(IOException e) {
    return e.getClass() == IOException.class ? String.valueOf(e.getMessage()) : e.toString();
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw failure("close", e);
    }
  }
}
