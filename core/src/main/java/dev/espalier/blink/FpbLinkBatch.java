// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.inpage.InPageSearch;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.node.KeyLines;
import dev.espalier.node.Keys;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.tree.OneStoreLevel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The lookups in groups of an {@link FpbLinkTree}. To probes the tree is one level: they can't wait
 * on inner pages, which others change meanwhile.
 */
final class FpbLinkBatch extends OneStoreLevel {
  /* Overview
   *
   * A group of probes goes down in waves, one page at a time:
   *
   *   1. All pages of the wave are looked at. If one is not there, all are pinned by one call, which on
   *      files is one wave of reads.
   *   2. The versions of all pages are read, then the pages. Neighbours at one page, as all are at the
   *      root, share what its header says. In leaf pages, the lines of the group's in-page nodes of
   *      each level are prefetched by one call before they are read, and last the line of each value.
   *      A key that is found there is in the tree, whatever the header says: a page that lost it to
   *      another has another version, and one that has left the tree is empty. So only the headers of
   *      pages without their key are read, also after one prefetch.
   *   3. After one fence, all versions are read again. A probe whose page has changed, or made room for
   *      another, stays for the next wave; the others go on.
   */

  /** Probes that go on together: the bits of a long. */
  private static final int GROUP = 64;

  private final FpbLinkTree owner;
  private final BLinkStructure tree;
  private final LinkedInPageFormat format;
  private final PageStore store;
  private final Latches latches;
  private final Epochs epochs;
  private final int levels;
  private final int innerWidth;
  private final int leafSlots;
  private final int keyLines;
  private final int valuesOffset;

  FpbLinkBatch(FpbLinkTree owner, LinkedInPageFormat format) {
    super(owner.tree);
    this.owner = owner;
    this.tree = owner.tree;
    this.format = format;
    this.store = tree.store;
    this.latches = tree.latches;
    this.epochs = tree.epochs;
    this.levels = format.trees.levels;
    this.innerWidth = format.inner.width;
    this.leafSlots = format.valueLeaf.keySlots;
    this.keyLines = format.valueLeaf.keyLines;
    this.valuesOffset = format.valueLeaf.payloadsOffset;
  }

  @Override
  public void answer(
      int level,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found,
      int foundFrom) {
    int most = Math.min(GROUP, store.mostPins());
    Group probes = new Group(Math.min(most, count));
    for (int done = 0; done < count; done += most) {
      int group = Math.min(most, count - done);
      int operation = epochs.enter();
      try {
        long there = answerGroup(keys, keysFrom + done, values, valuesFrom + done, group, probes);
        Bits.addGroup(found, foundFrom + done, there);
      } finally {
        epochs.exit(operation);
      }
    }
  }

  /** The probes of a group that have no answer yet, in order. */
  private static final class Group {
    /** Which of them are known to be in leaf pages, and which ways lead to one, as bit sets. */
    long atLeaves;

    long toLeaves;

    /** Which of the keys each one looks for, and that key. */
    final int[] probes;

    final long[] keys;

    /** The number of the page that it has come to, what a look at it said, and its version. */
    final int[] numbers;

    final long[] looks;
    final long[] versions;

    /** Where the page and its in-page root are, and where the way leads from there. */
    final long[] places;

    final long[] roots;
    final int[] nexts;

    // Of those that are in leaf pages: which they are, their keys, the in-page leaf and the slot;
    // and of those whose keys are not there, the page.
    final int[] inLeaf;
    final long[] leafKeys;
    final long[] nodes;
    final long[] slots;
    final long[] headers;

    Group(int most) {
      probes = new int[most];
      keys = new long[most];
      numbers = new int[most];
      looks = new long[most];
      versions = new long[most];
      places = new long[most];
      roots = new long[most];
      nexts = new int[most];
      inLeaf = new int[most];
      leafKeys = new long[most];
      nodes = new long[most];
      slots = new long[most];
      headers = new long[most];
    }
  }

  /**
   * Looks up at most {@link #GROUP} keys together.
   *
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, Group group) {
    int root = tree.rootPage();
    for (int i = 0; i < count; i++) {
      group.probes[i] = i;
      group.keys[i] = keys[keysFrom + i];
      group.numbers[i] = root;
    }
    group.atLeaves = 0;
    boolean looks = true;
    int looked = 0;
    long there = 0;
    int open = count;
    for (int hops = 0; open > 0; hops++) {
      looks = looks && look(group, open);
      if (!looks) {
        pin(group, open);
      }
      long found;
      long still;
      try {
        found = read(group, open, values, valuesFrom);
        still = latches.areStill(group.numbers, open, group.versions);
      } finally {
        if (!looks) {
          unpin(group, open);
        }
      }
      if (looks) {
        looked += open;
        long stayed = whichStayed(group, open);
        looks = (still & ~stayed) == 0; // Once a look was in vain, pages are pinned.
        still &= stayed;
      }
      int left = 0;
      long atLeaves = 0;
      for (int j = 0; j < open; j++) {
        int page = group.numbers[j];
        int next = group.nexts[j];
        long isLeaf = group.atLeaves >>> j & 1;
        if ((still >>> j & 1) != 0) {
          if (next == LinkedPage.HERE) {
            there |= (found >>> j & 1) << group.probes[j];
            continue;
          }
          page = next == LinkedPage.GONE ? tree.rootPage() : next;
          isLeaf = group.toLeaves >>> j & 1;
        }
        BLinkStructure.checkHops(hops, page);
        group.probes[left] = group.probes[j];
        group.keys[left] = group.keys[j];
        atLeaves |= isLeaf << left;
        group.numbers[left++] = page;
      }
      group.atLeaves = atLeaves;
      open = left;
    }
    store.noteLooks(looked);
    return there;
  }

  // ---------------------------------------------------------------- pages

  /** Looks for the pages of open probes; returns false if one is not there. */
  private boolean look(Group group, int count) {
    int before = 0;
    long look = 0;
    long place = 0;
    for (int j = 0; j < count; j++) {
      int page = group.numbers[j];
      if (page != before) {
        look = store.look(page);
        if (look < 0) {
          return false;
        }
        place = store.offset(look);
        before = page;
      }
      group.looks[j] = look;
      group.places[j] = place;
    }
    return true;
  }

  /** Tells which pages have stayed where a look has found them. */
  private long whichStayed(Group group, int count) {
    long stayed = 0;
    long before = -1;
    boolean isStill = false;
    for (int j = 0; j < count; j++) {
      long look = group.looks[j];
      if (look != before) {
        isStill = store.isStill(look);
        before = look;
      }
      stayed |= isStill ? 1L << j : 0;
    }
    return stayed;
  }

  private void pin(Group group, int count) {
    for (int j = 0; j < count; j++) {
      group.places[j] = group.numbers[j];
    }
    store.pinAll(group.places, 0, count);
  }

  private void unpin(Group group, int count) {
    for (int j = 0; j < count; j++) {
      store.unpin(group.places[j], false);
    }
  }

  // ---------------------------------------------------------------- search

  /**
   * Reads the pages that open probes have come to.
   *
   * @return which probes have found their keys in leaf pages
   */
  private long read(Group group, int count, long[] values, int valuesFrom) {
    if (group.atLeaves != 0) {
      for (int j = 0; j < count; j++) {
        group.roots[j] = group.places[j] + owner.rootOffset(group.numbers[j]);
      }
      Words.prefetchGroup(tree.base, group.roots, 0, count, levels > 1 ? innerWidth : 1);
    }
    latches.versions(group.numbers, count, group.versions);
    int inLeaves = findNext(group, count);
    return inLeaves > 0 ? readLeaves(group, inLeaves, values, valuesFrom) : 0;
  }

  /**
   * Finds where the ways of probes in inner pages lead next; returns how many are in leaf pages.
   */
  private int findNext(Group group, int count) {
    MemorySegment pages = tree.pages;
    long toLeaves = 0;
    int inLeaves = 0;
    int before = 0;
    long at = 0;
    long root = 0;
    boolean hasLeft = false;
    long high = 0;
    int level = 0;
    for (int j = 0; j < count; j++) {
      long key = group.keys[j];
      if ((group.atLeaves >>> j & 1) != 0) {
        inLeaves = addInLeaf(group, inLeaves, j, key, group.roots[j]);
        continue;
      }
      int page = group.numbers[j];
      if (page != before) {
        before = page;
        at = group.places[j];
        root = at + owner.rootOffset(page);
        hasLeft = LinkedPage.hasLeft(pages, at);
        high = LinkedPage.high(pages, at);
        level = LinkedPage.level(pages, at);
      }
      if (hasLeft) {
        group.nexts[j] = LinkedPage.GONE;
      } else if (key > high) {
        group.nexts[j] = LinkedPage.right(pages, at);
      } else if (level != 0) {
        group.nexts[j] = owner.child(pages, owner.findLeaf(pages, at, root, key), key);
        toLeaves |= level == 1 ? 1L << j : 0;
      } else {
        inLeaves = addInLeaf(group, inLeaves, j, key, root);
      }
    }
    group.toLeaves = toLeaves;
    return inLeaves;
  }

  private static int addInLeaf(Group group, int inLeaves, int probe, long key, long root) {
    group.inLeaf[inLeaves] = probe;
    group.leafKeys[inLeaves] = key;
    group.nodes[inLeaves] = root;
    return inLeaves + 1;
  }

  /**
   * Reads the values of probes that are in leaf pages.
   *
   * @return which probes of the group have found their keys
   */
  private long readLeaves(Group group, int count, long[] values, int valuesFrom) {
    findSlots(group, count);
    MemorySegment pages = tree.pages;
    long found = 0;
    int absent = 0;
    for (int k = 0; k < count; k++) {
      long slot = group.slots[k];
      long key = group.leafKeys[k];
      boolean isThere = getLong(pages, slot) == key;
      if (isThere && key == Keys.PADDING) {
        long leaf = group.nodes[k];
        isThere = (slot - leaf) >> 3 < format.valueLeaf.count(pages, leaf);
      }
      int j = group.inLeaf[k];
      if (isThere) {
        values[valuesFrom + group.probes[j]] = getLong(pages, slot + valuesOffset);
        group.nexts[j] = LinkedPage.HERE;
        found |= 1L << j;
      } else {
        values[valuesFrom + group.probes[j]] = owner.missingValue();
        group.headers[absent] = group.places[j];
        group.inLeaf[absent++] = j;
      }
    }
    if (absent > 0) {
      findRight(group, absent);
    }
    return found;
  }

  /** Finds out whether keys that are not in the leaf pages they lead to may be in others. */
  private void findRight(Group group, int count) {
    MemorySegment pages = tree.pages;
    Words.prefetchGroup(tree.base, group.headers, 0, count, 1);
    for (int k = 0; k < count; k++) {
      int j = group.inLeaf[k];
      long at = group.headers[k];
      if (LinkedPage.hasLeft(pages, at)) {
        group.nexts[j] = LinkedPage.GONE;
      } else if (group.keys[j] > LinkedPage.high(pages, at)) {
        group.nexts[j] = LinkedPage.right(pages, at);
        group.toLeaves |= 1L << j;
      } else {
        group.nexts[j] = LinkedPage.HERE;
      }
    }
  }

  /** Takes probes from the in-page roots of leaf pages to their slots; bounded in torn pages. */
  private void findSlots(Group group, int count) {
    MemorySegment pages = tree.pages;
    long[] nodes = group.nodes;
    long inPage = ~(store.pageBytes() - 1L);
    for (int level = levels - 1; level > 0; level--) {
      if (level < levels - 1) {
        Words.prefetchGroup(tree.base, nodes, 0, count, innerWidth);
      }
      for (int k = 0; k < count; k++) {
        long node = nodes[k];
        nodes[k] = (node & inPage) + owner.childOffset(pages, node, group.leafKeys[k], level);
      }
    }
    System.arraycopy(nodes, 0, group.slots, 0, count);
    if (leafSlots == keyLines * CacheLine.LONGS && KeyLines.pays(tree.mostEntries())) {
      KeyLines.findSlots(pages, tree.base, group.leafKeys, 0, group.slots, 0, count, keyLines);
    } else {
      findSlotsAtOnce(pages, group, count);
    }
    Words.prefetchGroup(tree.base + valuesOffset, group.slots, 0, count, 1);
  }

  /** Finds the slots of probes in their in-page leaves, whose key lines it prefetches. */
  private void findSlotsAtOnce(MemorySegment pages, Group group, int count) {
    Words.prefetchGroup(tree.base, group.nodes, 0, count, keyLines);
    int lastSlot = leafSlots - 1;
    for (int k = 0; k < count; k++) {
      long leaf = group.nodes[k];
      int slot = InPageSearch.values(pages, leaf, leafSlots, group.leafKeys[k]);
      group.slots[k] = leaf + ((long) Math.min(slot, lastSlot) << 3);
    }
  }
}
