// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryPageStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the headers of index files, and refuses files that have none. */
final class HeaderReader {
  private HeaderReader() {}

  /**
   * Reads a copy of the header, to learn what never changes: the page size, the files, the tree.
   * Not by a channel, which an interrupt would close.
   *
   * @throws PageFileException if the file is no index of this version
   */
  static FileHeader anyCopy(Path path) {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      MemorySegment copy = read(file, 0);
      FileHeader header = FileHeader.read(copy);
      if (header != null) {
        return check(path, header);
      }
      // Where the second copy is depends on the page size, which the first one would tell.
      for (int bytes = MemoryPageStore.MIN_PAGE_BYTES;
          bytes <= MemoryPageStore.MAX_PAGE_BYTES;
          bytes *= 2) {
        FileHeader second = FileHeader.read(read(file, bytes));
        if (second != null && second.pageBytes() == bytes) {
          return check(path, second);
        }
      }
      throw refusal(path, FileHeader.version(copy));
    } catch (FileNotFoundException e) {
      throw new PageFileException(path, "can't be opened: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new PageFileException(path, "its header can't be read: " + e, e);
    }
  }

  private static MemorySegment read(RandomAccessFile file, long at) throws IOException {
    byte[] bytes = new byte[FileHeader.BYTES];
    file.seek(at);
    int done = 0;
    while (done < bytes.length) {
      int count = file.read(bytes, done, bytes.length - done);
      if (count < 0) {
        break;
      }
      done += count;
    }
    return MemorySegment.ofArray(bytes);
  }

  /** Checks what a header with the right checksum may still say that can't be. */
  private static FileHeader check(Path path, FileHeader header) {
    int bytes = header.pageBytes();
    if (Integer.bitCount(bytes) != 1
        || bytes < MemoryPageStore.MIN_PAGE_BYTES
        || bytes > MemoryPageStore.MAX_PAGE_BYTES
        || header.top() < 0
        || header.freePages() < 0
        || header.freePages() > header.top()
        || header.stripes() < 1) {
      throw new PageFileException(
          path, "its header contradicts itself: " + header, PageFileException.NO_ERRNO);
    }
    return header;
  }

  private static PageFileException refusal(Path path, int version) {
    String what =
        switch (version) {
          case 0 -> "is no index file";
          case FileHeader.VERSION -> "both copies of its header are damaged";
          default ->
              "has version %d of the file format, which this library does not know; it knows %d"
                  .formatted(version, FileHeader.VERSION);
        };
    return new PageFileException(path, what, PageFileException.NO_ERRNO);
  }

  /**
   * Reads the copy of the header that counts.
   *
   * @throws PageFileException if neither is whole
   */
  static FileHeader newest(PageFile file, int pageBytes) {
    try (Arena arena = Arena.ofShared()) {
      int blocks = FileHeader.BLOCKS;
      MemorySegment copies =
          arena.allocate((long) blocks * pageBytes, Math.max(pageBytes, file.alignment()));
      IoBatch batch = new IoBatch(copies, blocks);
      for (long block = 0; block < blocks; block++) {
        long at = block * pageBytes;
        if (at + pageBytes <= file.bytes()) {
          batch.add(at, at, pageBytes);
        }
      }
      file.read(batch);
      FileHeader newest = null;
      for (long block = 0; block < blocks; block++) {
        newest = later(newest, FileHeader.read(copies.asSlice(block * pageBytes, pageBytes)));
      }
      if (newest == null) {
        throw refusal(file.path(), FileHeader.version(copies));
      }
      return check(file.path(), newest);
    }
  }

  private static @Nullable FileHeader later(@Nullable FileHeader a, @Nullable FileHeader b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.sequence() > b.sequence() ? a : b;
  }
}
