// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import dev.espalier.prefix.StoredPrefixTree;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Saves the entries of a damaged index of byte strings, leaf by leaf, as the map leads to them; the
 * pages above are not needed. Each leaf says which separators it lies between, so what is missing
 * between two leaves is known.
 *
 * <p>A page of a long key or value does not say whose it is, and another one may have had it before
 * or afterwards. So what is in such pages is saved only where the map tells of them and of the
 * leaf.
 */
final class SalvageStrings {
  private static final byte[] FIRST_KEY = {};

  private static final String NOT_FOUND = "a leaf page is damaged or missing";

  private final StoreState state;
  private final DamagedStore.DamagedIndex index;
  private final BytesIndex into;
  private final List<SalvageReport.KeyRange> lost = new ArrayList<>();
  private long entries;

  SalvageStrings(StoreState state, DamagedStore.DamagedIndex index, BytesIndex into) {
    this.state = state;
    this.index = index;
    this.into = into;
  }

  /**
   * A leaf.
   *
   * @param isSure whether it is certain that this is what was written last
   * @param doubtful the entries with pages of their own, if it is not certain
   * @param lower the beginning of the separator before it, null if it is the first one
   * @param upper the beginning of the separator behind it, null if it is the last one
   */
  @SuppressWarnings("ArrayRecordComponent") // It is never compared.
  private record Leaf(
      int page,
      boolean isSure,
      int count,
      BitSet doubtful,
      byte @Nullable [] lower,
      byte @Nullable [] upper) {
    byte[] from() {
      return lower == null ? FIRST_KEY : lower;
    }
  }

  /**
   * Saves what can be read.
   *
   * @param listener told how many entries were saved
   * @return the ranges of keys in which not everything was saved
   */
  List<SalvageReport.KeyRange> save(ProgressListener listener) {
    long expected = StoredPrefixTree.size(index.entry().meta()); // which change
    List<Leaf> leaves = leaves();
    boolean hasOld = leaves.stream().anyMatch(leaf -> !leaf.isSure);
    List<Leaf> sure = leaves.stream().filter(Leaf::isSure).toList();
    noteGaps(sure, hasOld);
    // What is sure comes last, and is what stays.
    save(leaves.stream().filter(leaf -> !leaf.isSure).toList(), index.map(), listener);
    entries = 0;
    save(sure, index.sure(), listener);
    if (lost.isEmpty() && (!index.hasRoot() || entries != expected)) {
      String reason =
          index.hasRoot()
              ? "there were %d entries, and %d were found".formatted(expected, entries)
              : "the catalogue that tells how many entries there are is damaged";
      lost.add(new SalvageReport.KeyRange(FIRST_KEY, null, true, reason));
    }
    return lost;
  }

  /** Returns all leaves that can be read, in the order of their keys. */
  private List<Leaf> leaves() {
    List<Leaf> leaves = new ArrayList<>();
    Catalogue.Entry entry = index.entry();
    int pageBytes = state.pageBytes();
    try (PageReader reader = new PageReader(state.file, pageBytes)) {
      for (int page = 1; page <= entry.top(); page++) {
        int slot = index.map().slot(page);
        if (slot <= PageMap.UNWRITTEN) {
          continue;
        }
        try {
          MemorySegment bytes = reader.read(slot, index.map().checksum(page), page, entry.id());
          if (StoredPrefixTree.isLeaf(bytes, 0)) {
            boolean isSure = index.sure().slot(page) == slot;
            leaves.add(
                new Leaf(
                    page,
                    isSure,
                    StoredPrefixTree.count(bytes, 0),
                    isSure ? new BitSet() : StoredPrefixTree.chained(bytes, 0),
                    StoredPrefixTree.lowerFence(bytes, 0, pageBytes),
                    StoredPrefixTree.upperFence(bytes, 0, pageBytes)));
          }
        } catch (PageFileException | IndexOutOfBoundsException _) {
          // If it is a leaf, there is a gap between those beside it.
        }
      }
    }
    leaves.sort(Comparator.comparing(Leaf::from, Arrays::compareUnsigned));
    return leaves;
  }

  private void noteGaps(List<Leaf> leaves, boolean hasOld) {
    byte[] reached = FIRST_KEY;
    for (Leaf leaf : leaves) {
      if (reached == null || !Arrays.equals(reached, leaf.from())) {
        noteGap(reached, end(leaf.lower), hasOld);
      }
      reached = leaf.upper;
    }
    if (leaves.isEmpty() || reached != null) {
      noteGap(reached, null, hasOld);
    }
  }

  /** Returns a key that is not below a separator, of which a page may have the beginning only. */
  private byte @Nullable [] end(byte @Nullable [] fence) {
    if (fence == null || fence.length < StoredPrefixTree.fenceBytes(state.pageBytes())) {
      return fence;
    }
    byte[] end = fence.clone();
    for (int last = end.length - 1; last >= 0; last--) {
      if (++end[last] != 0) {
        return Arrays.copyOf(end, last + 1);
      }
    }
    return null;
  }

  private void noteGap(byte @Nullable [] from, byte @Nullable [] to, boolean hasOld) {
    String reason = hasOld ? "found in pages without a map, which may be old: " : "";
    byte[] first = from == null ? FIRST_KEY : from;
    lost.add(new SalvageReport.KeyRange(first, to, hasOld, reason + NOT_FOUND));
  }

  // ---------------------------------------------------------------- one leaf

  private void save(List<Leaf> leaves, PageMap map, ProgressListener listener) {
    IndexPages pages = new IndexPages(index.entry(), map);
    SlotPageStore store = state.pages(pages);
    try {
      for (Leaf leaf : leaves) {
        save(leaf, pages, store, listener);
      }
    } finally {
      store.close();
    }
  }

  private void save(Leaf leaf, IndexPages pages, SlotPageStore store, ProgressListener listener) {
    StoredPrefixTree.becomeLeaf(pages.meta, leaf.page);
    BytesCursor cursor = PrefixBPlusTree.open(store).cursor();
    byte[] reached = leaf.from();
    int done = 0;
    while (done < leaf.count) {
      byte[] key = move(cursor, true);
      if (key == null) {
        break;
      }
      saveValue(leaf, done, cursor, key);
      reached = behind(key);
      done++;
    }
    if (done < leaf.count) {
      saveFromEnd(leaf, PrefixBPlusTree.open(store).cursor(), done, reached);
    }
    if (!listener.onProgress(entries, -1)) {
      throw new CancellationException("cancelled");
    }
  }

  /** Saves what comes behind the last key of a leaf that can't be read. */
  private void saveFromEnd(Leaf leaf, BytesCursor cursor, int before, byte[] reached) {
    byte[] end = end(leaf.upper);
    for (int left = leaf.count - before; left > 0; left--) {
      byte[] key = move(cursor, false);
      if (key == null) {
        break;
      }
      end = key;
      saveValue(leaf, before + left - 1, cursor, key);
    }
    lost.add(new SalvageReport.KeyRange(reached, end, false, "a page with a long key is damaged"));
  }

  /** Moves to the next entry, and returns its key; null if it can't be read. */
  private static byte @Nullable [] move(BytesCursor cursor, boolean forwards) {
    try {
      return (forwards ? cursor.next() : cursor.previous()) ? cursor.keyArray() : null;
    } catch (RuntimeException damaged) {
      return null;
    }
  }

  private void saveValue(Leaf leaf, int i, BytesCursor cursor, byte[] key) {
    if (leaf.doubtful.get(i)) {
      return; // It lies in a gap between leaves that are sure, which is listed.
    }
    byte[] value;
    try {
      value = cursor.valueArray();
    } catch (RuntimeException damaged) {
      String reason = String.valueOf(damaged.getMessage());
      lost.add(new SalvageReport.KeyRange(key, behind(key), false, reason));
      return;
    }
    into.set(key, value);
    entries++;
  }

  /** Returns the key that comes next after one. */
  private static byte[] behind(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }
}
