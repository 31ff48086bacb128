// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Looks groups of keys up level by level, as {@link PrefixGroupLookup} does, in a tree that others
 * change. The versions of a wave's pages are looked at once it has been searched, and once more
 * when the versions of the next are known. Keys whose pages have changed are looked up one by one,
 * and so are those whose values are in pages of their own.
 */
final class SharedPrefixLookup {
  private static final int GROUP = 64;

  /** Lines at the beginning of a page that are read ahead: no more than the smallest page has. */
  private static final int FIRST_LINES = 8;

  private final ConcurrentPrefixBPlusTree index;
  private final PrefixStructure tree;
  private final PageStore store;
  private final PrefixSpace space;
  private final Latches latches;

  SharedPrefixLookup(ConcurrentPrefixBPlusTree index, PrefixStructure tree, PrefixSpace space) {
    this.index = index;
    this.tree = tree;
    this.store = tree.store;
    this.space = space;
    this.latches = space.latches;
  }

  /** Shows the values of the keys that are there; returns how many are. */
  int getAll(PrefixThread thread, PackedBytes keys, BatchReader reader) {
    int most = Math.min(GROUP, store.mostPins() - 1); // A value may have pages of its own.
    Wave wave = new Wave(keys, Math.min(most, keys.count()));
    int found = 0;
    for (int done = 0; done < keys.count(); done += most) {
      int operation = space.epochs.enter();
      try {
        wave.lookUp(done, Math.min(most, keys.count() - done));
      } finally {
        space.epochs.exit(operation);
      }
      found += show(thread, wave, keys, done, reader);
    }
    return found;
  }

  private int show(PrefixThread thread, Wave wave, PackedBytes keys, int done, BatchReader reader) {
    int found = 0;
    for (int i = 0; i < wave.count; i++) {
      int key = done + i;
      if ((wave.still >>> i & 1) != 0) {
        found += wave.show(i, key, reader);
      } else {
        boolean isThere =
            index.show(
                thread,
                keys.get(key),
                (piece, from, bytes, position, total) ->
                    reader.read(key, piece, from, bytes, position, total));
        found += isThere ? 1 : 0;
      }
    }
    return found;
  }

  /** A group of keys, and the page of each. */
  private final class Wave {
    private final PrefixGroup group;
    private int[] numbers;
    private int[] next;
    private long[] versions;
    private long[] nextVersions;
    private int count;

    /** The keys of which all that was read counts, as a bit set. */
    private long still;

    /** Where the copy of each value is and its length, or -1 if there is none. */
    private final int[] valueAt;

    private final int[] valueLength;

    private byte[] copy = new byte[1 << 10];
    private int used;

    Wave(PackedBytes keys, int most) {
      this.group = new PrefixGroup(tree, keys, most, this::check);
      numbers = new int[most];
      next = new int[most];
      versions = new long[most];
      nextVersions = new long[most];
      valueAt = new int[most];
      valueLength = new int[most];
    }

    private void check(int i) {
      if (!latches.isStill(numbers[i], versions[i])) {
        throw Torn.torn("page " + numbers[i] + " is not what it was");
      }
    }

    /** Notes which keys' pages are still what they were. */
    private void look() {
      still &= latches.areStill(numbers, count, versions);
    }

    void lookUp(int from, int keys) {
      count = keys;
      group.begin(from, keys);
      used = 0;
      still = -1L >>> (Long.SIZE - keys);
      int root = tree.sharedRoot();
      Arrays.fill(next, 0, count, root);
      pin();
      int pinned = 0; // pages before it are released
      try {
        if (tree.sharedRoot() != root) {
          still = 0;
          return;
        }
        int level = PageLayout.level(tree.pages, group.pages[0]);
        for (; level > 0; level--) {
          group.search();
          for (int i = 0; i < count; i++) {
            next[i] = group.child(i);
          }
          look();
          for (int i = 0; i < count; i++) {
            next[i] = (still >>> i & 1) != 0 ? next[i] : root;
          }
          for (pinned = 0; pinned < count; ) {
            store.unpin(group.pages[pinned++], false);
          }
          int[] above = numbers;
          long[] aboveVersions = versions;
          pin();
          pinned = 0;
          still &= latches.areStill(above, count, aboveVersions);
          PageKeys.touch(tree.pages, group.pages, count, FIRST_LINES);
        }
        group.search();
        group.touchValues();
        for (int i = 0; i < count; i++) {
          copyValue(i);
        }
        look();
      } catch (RuntimeException torn) {
        still = 0; // If it was not for others, looking the keys up one by one throws the same.
      } finally {
        for (; pinned < count; pinned++) {
          store.unpin(group.pages[pinned], false);
        }
      }
    }

    /** Pins the next pages, and reads their versions. */
    private void pin() {
      for (int i = 0; i < count; i++) {
        group.pages[i] = next[i];
      }
      store.pinAll(group.pages, 0, count);
      int[] before = numbers;
      numbers = next;
      next = before;
      long[] beforeVersions = versions;
      versions = nextVersions;
      nextVersions = beforeVersions;
      latches.versions(numbers, count, versions);
    }

    private void copyValue(int i) {
      valueLength[i] = -1;
      if (group.entry(i) < 0) {
        return;
      }
      MemorySegment pages = tree.pages;
      long slot = group.slotOf(i);
      long value = PageLayout.valueAt(pages, group.pages[i], slot);
      if (PageLayout.isValueInChain(pages, slot)) {
        still &= ~(1L << i);
        return;
      }
      int bytes = PageLayout.valueBytes(pages, slot);
      if (used + bytes > copy.length) {
        copy = Arrays.copyOf(copy, Math.max(used + bytes, 2 * copy.length));
      }
      MemorySegment.copy(pages, ValueLayout.JAVA_BYTE, value, copy, used, bytes);
      valueAt[i] = used;
      valueLength[i] = bytes;
      used += bytes;
    }

    /** Shows the value of a key of the group, if it has one; returns how many it has. */
    int show(int i, int key, BatchReader reader) {
      int length = valueLength[i];
      if (length < 0) {
        return 0;
      }
      MemorySegment memory = MemorySegment.ofArray(copy).asReadOnly();
      reader.read(key, memory, valueAt[i], length, 0, length);
      return 1;
    }
  }
}
