// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.ProgressListener;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.Message;
import dev.espalier.support.PageVerifier;

/**
 * Checks the invariants of {@link BEpsilonStructure} in one pass from left to right. Built to
 * survive any damage: it goes to no page that is not in use, and to none twice.
 */
final class BEpsilonVerifier extends PageVerifier {
  private final BEpsilonStructure tree;
  private final InnerPage inner;
  private final int height;

  /** Entries after all messages; what is counted as checked are those in leaves. */
  private long live;

  private BEpsilonVerifier(BEpsilonStructure tree, ProgressListener listener) {
    super(tree.store, listener, tree.meta[BEpsilonStructure.LEAF_ENTRIES]);
    this.tree = tree;
    this.inner = tree.inner;
    this.height = Math.clamp(tree.meta[BEpsilonStructure.HEIGHT], 1, BEpsilonStructure.MAX_HEIGHT);
  }

  static void verify(BEpsilonStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new BEpsilonVerifier(tree, listener).run();
  }

  private void run() {
    checkEqual("I1", tree.meta[BEpsilonStructure.HEIGHT], height, "the height");
    visit(tree.root(), height - 1, Long.MIN_VALUE, Long.MAX_VALUE, Messages.NONE);
    checkAllClaimed("I8");
    long inLeaves = tree.meta[BEpsilonStructure.LEAF_ENTRIES];
    checkEqual("I9", entries(), inLeaves, "the number of entries in leaves");
    checkDead("I11", tree.dead, new BEpsilonCursor(tree, new DeadRanges()));
    long size = tree.meta[BEpsilonStructure.SIZE];
    check(size < 0 || size == live, "I10", "the size is %d, but there are %d entries", size, live);
  }

  /** Messages sorted by key, one for each. */
  private static final class Messages {
    static final Messages NONE = new Messages(new long[0], new int[0], 0, 0);

    final long[] keys;
    final int[] kinds;
    final int from;
    final int to;

    Messages(long[] keys, int[] kinds, int from, int to) {
      this.keys = keys;
      this.kinds = kinds;
      this.from = from;
      this.to = to;
    }

    /** Returns those from one key to another, both included. */
    Messages within(long low, long high) {
      int begin = from;
      while (begin < to && keys[begin] < low) {
        begin++;
      }
      int end = begin;
      while (end < to && keys[end] <= high) {
        end++;
      }
      return new Messages(keys, kinds, begin, end);
    }

    /** Returns these, and where there is none for a key, an older one. */
    Messages over(Messages older) {
      if (older.from == older.to) {
        return this;
      }
      long[] allKeys = new long[to - from + older.to - older.from];
      int[] allKinds = new int[allKeys.length];
      int count = 0;
      int next = older.from;
      for (int i = from; i < to; i++) {
        for (; next < older.to && older.keys[next] < keys[i]; next++) {
          allKeys[count] = older.keys[next];
          allKinds[count++] = older.kinds[next];
        }
        int kind = kinds[i];
        if (next < older.to && older.keys[next] == keys[i]) {
          kind = Message.combinedKind(kind, older.kinds[next++]);
        }
        allKeys[count] = keys[i];
        allKinds[count++] = kind;
      }
      for (; next < older.to; next++) {
        allKeys[count] = older.keys[next];
        allKinds[count++] = older.kinds[next];
      }
      return new Messages(allKeys, allKinds, 0, count);
    }
  }

  /** Visits a page whose keys are from {@code low} to {@code high}, both included. */
  private void visit(int page, int level, long low, long high, Messages above) {
    claim("I7", page, 1);
    if (level == 0) {
      visitLeaf(page, low, high, above);
      return;
    }
    long[] separators;
    int[] children;
    Messages messages;
    long at = store.pin(page);
    try {
      checkLevel(page, at, level);
      messages = messages(page, at);
      children = new int[children(page, at, level, messages)];
      separators = new long[children.length - 1];
      for (int i = 0; i < children.length; i++) {
        children[i] = inner.child(pages, at, i);
      }
      for (int i = 0; i < separators.length; i++) {
        separators[i] = InnerPage.separator(pages, at, i);
      }
    } finally {
      store.unpin(at, false);
    }
    checkSeparators(page, separators, low, high);
    checkMessages(page, messages, low, high);
    Messages all = above.over(messages);
    long from = low;
    for (int i = 0; i < children.length; i++) {
      long to = i < separators.length ? separators[i] : high;
      visit(children[i], level - 1, from, to, all.within(from, to));
      from = to + 1;
    }
  }

  private void checkLevel(int page, long at, int level) {
    checkEqual("I1", NodePage.level(pages, at), level, "the level of page %d", page);
  }

  private int children(int page, long at, int level, Messages messages) {
    int count = NodePage.count(pages, at);
    boolean mayHaveOne = level < height - 1 || messages.to > 0;
    checkRange("I2", count, mayHaveOne ? 1 : 2, inner.fanout, "the children of page %d", page);
    return count;
  }

  private Messages messages(int page, long at) {
    int count = NodePage.messages(pages, at);
    checkRange("I5", count, 0, inner.capacity, "the messages of page %d", page);
    long[] keys = new long[count];
    int[] kinds = new int[count];
    for (int i = 0; i < count; i++) {
      keys[i] = inner.messageKey(pages, at, i);
      kinds[i] = inner.messageKind(pages, at, i);
      check(Message.isKind(kinds[i]), "I6", "page %d has a message of kind %d", page, kinds[i]);
      long value = inner.messageValue(pages, at, i);
      check(
          kinds[i] != Message.DELETE || value == 0,
          "I6",
          "page %d has a DELETE with the value %d",
          page,
          value);
    }
    return new Messages(keys, kinds, 0, count);
  }

  /** A separator is not the highest key of its page's interval: a child would have none. */
  private static void checkSeparators(int page, long[] separators, long low, long high) {
    for (int i = 0; i < separators.length; i++) {
      check(
          (i == 0 ? separators[0] >= low : separators[i] > separators[i - 1])
              && separators[i] < high,
          "I3",
          "separator %d of page %d is %d, out of order or not from %d to %d",
          i,
          page,
          separators[i],
          low,
          high);
    }
  }

  private static void checkMessages(int page, Messages messages, long low, long high) {
    for (int i = 0; i < messages.to; i++) {
      long key = messages.keys[i];
      check(
          key >= low && key <= high && (i == 0 || key > messages.keys[i - 1]),
          "I4",
          "message %d of page %d has key %d, out of order or not from %d to %d",
          i,
          page,
          key,
          low,
          high);
    }
  }

  private void visitLeaf(int page, long low, long high, Messages above) {
    long at = store.pin(page);
    try {
      checkLevel(page, at, 0);
      int count = NodePage.count(pages, at);
      int messages = NodePage.messages(pages, at);
      checkRange("I5", count, 0, tree.leaf.capacity, "the entries of leaf %d", page);
      checkEqual("I6", messages, 0, "the messages of leaf %d", page);
      for (int i = 0; i < count; i++) {
        long key = LeafPage.key(pages, at, i);
        check(
            key >= low && key <= high && (i == 0 || key > LeafPage.key(pages, at, i - 1)),
            "I3",
            "key %d of leaf %d is %d, out of order or not from %d to %d",
            i,
            page,
            key,
            low,
            high);
      }
      countLeaf(at, count, above);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Counts a leaf's entries, and those that are left and new after the messages above it. */
  private void countLeaf(long at, int count, Messages above) {
    int there = count;
    int next = 0;
    for (int i = above.from; i < above.to; i++) {
      while (next < count && LeafPage.key(pages, at, next) < above.keys[i]) {
        next++;
      }
      boolean isThere = next < count && LeafPage.key(pages, at, next) == above.keys[i];
      if (above.kinds[i] == Message.DELETE) {
        there -= isThere ? 1 : 0;
      } else {
        there += isThere ? 0 : 1;
      }
    }
    live += there;
    count(count);
  }
}
