// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A temporary file with sorted runs of entries, one after the other. Where the system allows it,
 * the file has no name while it is open, so nothing is left of it however the process ends.
 */
final class SpillFile implements AutoCloseable {
  /** The most bytes written at once: far below the 2 GiB that a system call takes. */
  private static final long MAX_TRANSFER_BYTES = 1L << 26;

  private final FileChannel channel;
  private final Path folder;
  private long bytes;

  /** Wraps an open file. */
  SpillFile(FileChannel channel, Path folder) {
    this.channel = channel;
    this.folder = folder;
  }

  /** Opens such files; a test may open something else. */
  @FunctionalInterface
  interface Opener {
    FileChannel open(Path folder) throws IOException;
  }

  /** Opens an empty file in a folder. The file is deleted when it is closed, or before. */
  static FileChannel openTemporary(Path folder) throws IOException {
    return FileChannel.open(
        Files.createTempFile(folder, "espalier-sort-", ".tmp"),
        StandardOpenOption.READ,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE);
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
      for (long from = 0; from < source.byteSize(); from += MAX_TRANSFER_BYTES) {
        long size = Math.min(MAX_TRANSFER_BYTES, source.byteSize() - from);
        ByteBuffer buffer = source.asSlice(from, size).asByteBuffer();
        while (buffer.hasRemaining()) {
          bytes += channel.write(buffer, bytes);
        }
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
      ByteBuffer buffer = target.asByteBuffer();
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, position + buffer.position()) < 0) {
          throw new IOException("it ends at byte " + channel.size());
        }
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
      channel.close();
    } catch (IOException e) {
      throw failure("close", e);
    }
  }
}
