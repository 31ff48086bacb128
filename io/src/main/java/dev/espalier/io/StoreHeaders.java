// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryPageStore;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the headers of stores, and refuses files that have none. */
final class StoreHeaders {
  private StoreHeaders() {}

  /**
   * Reads a copy of the header, to learn what never changes: the page size, and over how many files
   * the store is spread. Where copies are depends on the page size, so all places are looked at.
   *
   * @throws PageFileException if the file is no store of this version
   */
  static StoreHeader any(StoreFiles files, Path path) {
    try (PageFile file = files.openLog(path, Access.READ, StoreHeader.BLOCK_BYTES)) {
      int version = 0;
      for (long at = 0; at < StoreHeader.areaBytes(MemoryPageStore.MAX_PAGE_BYTES); at += 4096) {
        if (at + StoreHeader.BLOCK_BYTES > file.bytes()) {
          break;
        }
        MemorySegment copy = read(file, at);
        StoreHeader header = StoreHeader.read(copy);
        if (header != null) {
          return check(path, header);
        }
        version = version == 0 ? StoreHeader.version(copy) : version;
      }
      throw refusal(path, version);
    }
  }

  /**
   * Reads the header that counts: of the newest checkpoint.
   *
   * @throws PageFileException if none is whole
   */
  static StoreHeader newest(PageFile file, int pageBytes) {
    StoreHeader newest = null;
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      StoreHeader header = copy(file, pageBytes, copy);
      if (header != null && (newest == null || header.checkpoint() > newest.checkpoint())) {
        newest = header;
      }
    }
    if (newest == null) {
      throw refusal(file.path(), StoreHeader.VERSION);
    }
    return check(file.path(), newest);
  }

  /** Reads a copy of the header, null if it is not whole. */
  static @Nullable StoreHeader copy(PageFile file, int pageBytes, int copy) {
    long at = StoreHeader.position(copy, pageBytes);
    return at + StoreHeader.BLOCK_BYTES <= file.bytes() ? StoreHeader.read(read(file, at)) : null;
  }

  private static MemorySegment read(PageFile file, long at) {
    MemorySegment block = StoreHeader.block();
    IoBatch batch = new IoBatch(block, 1);
    batch.add(at, 0, StoreHeader.BLOCK_BYTES);
    file.read(batch);
    return block;
  }

  /** Checks for impossible values that a header with the right checksum may still have. */
  private static StoreHeader check(Path path, StoreHeader header) {
    int bytes = header.pageBytes();
    if (Integer.bitCount(bytes) != 1
        || bytes < MemoryPageStore.MIN_PAGE_BYTES
        || bytes > MemoryPageStore.MAX_PAGE_BYTES
        || header.segmentBytes() < StoreOptions.LEAST_SEGMENT_BYTES
        || header.segmentBytes() > StoreOptions.MOST_SEGMENT_BYTES
        || header.slots() < 0
        || header.catalogueSlot() < 0
        || header.checkpoint() < 0
        || header.sequence() < 0
        || header.logSegment() < 0
        || header.logOffset() < 0
        || header.logOffset() % LogRecord.ALIGNMENT != 0
        || header.stripes() < 1) {
      throw new PageFileException(
          path, "its header contradicts itself: " + header, PageFileException.NO_ERRNO);
    }
    return header;
  }

  private static PageFileException refusal(Path path, int version) {
    String what =
        switch (version) {
          case 0 -> "is no store of indexes";
          case 2, 3, StoreHeader.VERSION -> "all copies of its header are damaged";
          case 1 ->
              "has version 1 of the file format; dump it with the release that wrote it, and load"
                  + " the dump into a new file";
          default ->
              "has version %d of the file format; this library knows only %d to %d"
                  .formatted(version, StoreHeader.OLDEST_VERSION, StoreHeader.VERSION);
        };
    return new PageFileException(path, what, PageFileException.NO_ERRNO);
  }
}
