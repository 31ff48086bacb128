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
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Saves the entries of a damaged index of byte strings, leaf by leaf, as the map leads to them; the
 * pages above are not needed. Each leaf says which separators it lies between, so what is missing
 * between two leaves is known.
 *
 * <p>Where a page of the map is damaged, leaves are searched for, and what is found may have been
 * given back. The leaves of an index lie side by side from the first key to the last: so one that
 * overlaps no other has not been, provided that none is missing. Entries of others are saved only
 * where no leaf is sure, and these keys are listed.
 *
 * <p>A page of a long key or value does not say whose it is, and another one may have had it before
 * or afterwards. So what is in such pages is saved only if the leaf counts.
 */
final class SalvageStrings {
  private static final byte[] FIRST_KEY = {};

  private static final String NOT_FOUND = "a leaf page is damaged or missing";

  private static final String OLD =
      "found in pages without a map, which may be old or given back: ";

  private final StoreState state;
  private final DamagedStore.DamagedIndex index;
  private final BytesIndex into;
  private final List<SalvageReport.KeyRange> lost = new ArrayList<>();

  /** The ranges between leaves that are sure, by their first keys. */
  private final NavigableMap<byte[], SalvageReport.KeyRange> gaps =
      new TreeMap<>(Arrays::compareUnsigned);

  private long entries;

  SalvageStrings(StoreState state, DamagedStore.DamagedIndex index, BytesIndex into) {
    this.state = state;
    this.index = index;
    this.into = into;
  }

  /**
   * A leaf.
   *
   * @param isSure whether it is certain that this is what was written last, and not given back
   * @param chained the entries with pages of their own, if the map does not tell of the leaf
   * @param lower the beginning of the separator before it, null if it is the first one
   * @param upper the beginning of the separator behind it, null if it is the last one
   */
  @SuppressWarnings("ArrayRecordComponent") // It is never compared.
  private record Leaf(
      int page,
      boolean isSure,
      int count,
      BitSet chained,
      byte @Nullable [] lower,
      byte @Nullable [] upper) {
    byte[] from() {
      return lower == null ? FIRST_KEY : lower;
    }

    Leaf asSure() {
      return new Leaf(page, true, count, chained, lower, upper);
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
    if (index.sure() == index.map() && index.isDecided()) {
      addSure(leaves);
    }
    boolean hasOld = leaves.stream().anyMatch(leaf -> !leaf.isSure);
    List<Leaf> sure = leaves.stream().filter(Leaf::isSure).toList();
    boolean isAll = index.hasRoot() && sure.stream().mapToLong(Leaf::count).sum() == expected;
    noteGaps(sure, hasOld, isAll);
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
            boolean isSure = index.sure().slot(page) == slot && !index.found().get(page);
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

  /**
   * Has leaves count that were searched for and overlap no other one, if all leaves were found.
   *
   * @param leaves in the order of their keys
   */
  private void addSure(List<Leaf> leaves) {
    BitSet overlapping = new BitSet();
    int farthest = 0;
    for (int i = 1; i < leaves.size(); i++) {
      byte[] reached = leaves.get(farthest).upper;
      if (reached == null || Arrays.compareUnsigned(leaves.get(i).from(), reached) < 0) {
        overlapping.set(i);
        overlapping.set(farthest);
      }
      byte[] upper = leaves.get(i).upper;
      if (reached != null && (upper == null || Arrays.compareUnsigned(upper, reached) > 0)) {
        farthest = i;
      }
    }
    for (int i = 0; i < leaves.size(); i++) {
      Leaf leaf = leaves.get(i);
      if (!overlapping.get(i) && !isCut(leaf.lower) && !isCut(leaf.upper)) {
        leaves.set(i, leaf.asSure());
      }
    }
  }

  /** Tells whether a page may have the beginning of a separator only. */
  private boolean isCut(byte @Nullable [] fence) {
    return fence != null && fence.length >= StoredPrefixTree.fenceBytes(state.pageBytes());
  }

  /**
   * Notes the ranges between leaves that are sure.
   *
   * @param hasOld whether there are others
   * @param isAll whether none is missing, also where separators are cut
   */
  private void noteGaps(List<Leaf> leaves, boolean hasOld, boolean isAll) {
    byte[] reached = FIRST_KEY;
    for (Leaf leaf : leaves) {
      boolean isNext = Arrays.equals(reached, leaf.from()) && (isAll || !isCut(reached));
      if (!isNext) {
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
    if (fence == null || !isCut(fence)) {
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
    byte[] first = from == null ? FIRST_KEY : from;
    SalvageReport.KeyRange gap =
        new SalvageReport.KeyRange(first, to, hasOld, (hasOld ? OLD : "") + NOT_FOUND);
    gaps.put(first, gap);
    lost.add(gap);
  }

  private boolean isInGap(byte[] key) {
    Map.Entry<byte[], SalvageReport.KeyRange> gap = gaps.floorEntry(key);
    return gap != null
        && (gap.getValue().end() == null || Arrays.compareUnsigned(key, gap.getValue().end()) < 0);
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
    noteLost(leaf, reached, end, "a page with a long key is damaged");
  }

  /** Notes what is lost of a leaf, if it is sure: keys of others lie in gaps, which are listed. */
  private void noteLost(Leaf leaf, byte[] from, byte @Nullable [] to, String reason) {
    if (leaf.isSure) {
      lost.add(new SalvageReport.KeyRange(from, to, false, reason));
    }
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
    if (!leaf.isSure && (leaf.chained.get(i) || !isInGap(key))) {
      return; // It lies in a gap, which is listed, or is not what a leaf that is sure has there.
    }
    byte[] value;
    try {
      value = cursor.valueArray();
    } catch (RuntimeException damaged) {
      noteLost(leaf, key, behind(key), String.valueOf(damaged.getMessage()));
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
