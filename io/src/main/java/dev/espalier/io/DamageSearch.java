// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CancellationException;

/** Reads every page of a file and looks for damage, in large reads. */
final class DamageSearch {
  private final PageFile file;
  private final FileHeader header;
  private final int pageBytes;
  private final List<CorruptPageException> found = new ArrayList<>();

  DamageSearch(PageFile file, FileHeader header) {
    this.file = file;
    this.header = header;
    this.pageBytes = header.pageBytes();
  }

  /** Returns what is wrong, page by page. */
  List<CorruptPageException> search(ProgressListener listener) {
    BitSet free = freePages();
    int pagesAtOnce = Math.max(1, WriteBack.MOST_BYTES / pageBytes);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory =
          arena.allocate((long) pagesAtOnce * pageBytes, Math.max(pageBytes, file.alignment()));
      IoBatch batch = new IoBatch(memory, 1);
      for (int first = 1; first <= header.top(); first += pagesAtOnce) {
        int count = Math.min(pagesAtOnce, header.top() - first + 1);
        if (!read(batch, first, count)) {
          readSingly(batch, first, count, free);
        } else {
          for (int i = 0; i < count; i++) {
            check(memory, (long) i * pageBytes, first + i, free);
          }
        }
        if (!listener.onProgress(first + count - 1L, header.top())) {
          throw new CancellationException("the listener cancelled the search for damage");
        }
      }
    }
    return List.copyOf(found);
  }

  private BitSet freePages() {
    BitSet free = new BitSet();
    if (header.isClean()) {
      try {
        for (int page : FreePages.read(file, header)) {
          free.set(page);
        }
      } catch (CorruptPageException damaged) {
        found.add(damaged);
      }
    }
    return free;
  }

  /** Reads pages that follow one another; tells whether that went well. */
  private boolean read(IoBatch batch, int first, int count) {
    batch.clear();
    batch.add(FileHeader.position(first, pageBytes), 0, count * pageBytes);
    try {
      file.read(batch);
      return true;
    } catch (PageFileException failed) {
      return false;
    }
  }

  private void readSingly(IoBatch batch, int first, int count, BitSet free) {
    for (int page = first; page < first + count; page++) {
      if (read(batch, page, 1)) {
        check(batch.memory(), 0, page, free);
      } else if (!free.get(page)) {
        found.add(new CorruptPageException(file.path(), page, "can't be read"));
      }
    }
  }

  private void check(MemorySegment memory, long offset, int page, BitSet free) {
    if (!free.get(page)) {
      String fault = PageSeal.fault(memory, offset, pageBytes, page, header.fileId());
      if (fault != null) {
        found.add(new CorruptPageException(file.path(), page, fault));
      }
    }
  }
}
