// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/** Reads every page of the indexes of a store and looks for damage, many pages at once. */
final class DamageSearch {
  private final StoreState state;
  private final int pageBytes;
  private final List<CorruptPageException> found = new ArrayList<>();
  private final long total;
  private long done;

  DamageSearch(StoreState state) {
    this.state = state;
    this.pageBytes = state.pageBytes();
    this.total = state.indexes.values().stream().mapToLong(index -> index.numbers.top()).sum();
  }

  /** Returns what is wrong, index by index and page by page. */
  List<CorruptPageException> search(ProgressListener listener) {
    int atOnce = Math.clamp(WriteBack.MOST_BYTES / pageBytes, 1, Wave.MOST_PAGES);
    try (Arena arena = Arena.ofShared()) {
      long alignment = Math.max(pageBytes, state.file.alignment());
      IoBatch batch = new IoBatch(arena.allocate((long) atOnce * pageBytes, alignment), atOnce);
      for (IndexPages index : state.indexes.values()) {
        search(index, batch, listener);
      }
    }
    return List.copyOf(found);
  }

  private void search(IndexPages index, IoBatch batch, ProgressListener listener) {
    int[] pages = new int[batch.capacity()];
    int top = index.numbers.top();
    for (int first = 1; first <= top; first += pages.length) {
      int count = 0;
      batch.clear();
      for (int page = first; page < first + pages.length && page <= top; page++) {
        int slot = index.map.slot(page);
        if (state.space.isWritten(slot)) {
          batch.add(state.space.position(slot), (long) count * pageBytes, pageBytes);
          pages[count++] = page;
        }
        done++;
      }
      check(index, batch, pages, count);
      if (!listener.onProgress(done, total)) {
        throw new CancellationException("cancelled after " + done + " of " + total + " pages");
      }
    }
  }

  private void check(IndexPages index, IoBatch batch, int[] pages, int count) {
    if (count == 0) {
      return;
    }
    try {
      state.file.read(batch);
    } catch (PageFileException failed) {
      checkSingly(index, batch, pages, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      check(index, batch, batch.offset(i), pages[i]);
    }
  }

  private void checkSingly(IndexPages index, IoBatch all, int[] pages, int count) {
    IoBatch one = new IoBatch(all.memory(), 1);
    for (int i = 0; i < count; i++) {
      one.clear();
      one.add(all.position(i), 0, pageBytes);
      try {
        state.file.read(one);
        check(index, one, 0, pages[i]);
      } catch (PageFileException failed) {
        found.add(damage(index, pages[i], "can't be read: " + failed.getMessage()));
      }
    }
  }

  private void check(IndexPages index, IoBatch batch, long offset, int page) {
    int checksum = index.map.checksum(page);
    String fault = PageSeal.fault(batch.memory(), offset, pageBytes, page, index.id, checksum);
    if (fault != null) {
      found.add(damage(index, page, fault));
    }
  }

  private CorruptPageException damage(IndexPages index, int page, String what) {
    return new CorruptPageException(
        state.path,
        page,
        "of index '%s', in slot %d, %s".formatted(index.name, index.map.slot(page), what));
  }
}
