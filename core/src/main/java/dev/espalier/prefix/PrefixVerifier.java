// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.KeyOrder;
import dev.espalier.support.PageVerifier;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks the invariants of a prefix B+-tree, from the root down, with whole separators. */
final class PrefixVerifier extends PageVerifier {
  private final PrefixStructure tree;
  private final PageLayout layout;
  private final int pageBytes;
  private final Pieces pieces;

  private PrefixVerifier(PrefixStructure tree, ProgressListener listener) {
    super(tree.store, listener, tree.size.get());
    this.tree = tree;
    this.layout = tree.layout;
    this.pageBytes = layout.pageBytes;
    this.pieces = new Pieces();
  }

  static void verify(PrefixStructure tree, ProgressListener listener) {
    PrefixVerifier verifier = new PrefixVerifier(tree, listener);
    checkRange("I1", tree.height(), 1, PrefixStructure.MAX_HEIGHT, "the height");
    verifier.page(tree.root(), tree.height() - 1, null, null);
    checkEqual("I1", verifier.entries(), tree.size.raw(), "the number of entries");
    verifier.pieces.finish();
    verifier.claimWaiting(PrefixStructure.WAITING);
    verifier.claimWaiting(PrefixStructure.WAITING_LONGER);
    int outside = tree.space == null ? 0 : tree.space.outside();
    checkEqual(
        "I1",
        verifier.claimed() + outside,
        tree.store.pagesInUse(),
        "the number of pages of the tree, and of those that wait or are with writers");
  }

  /** Claims the pages of a list of those that have left the tree. */
  private void claimWaiting(int list) {
    for (int page = (int) tree.meta[list]; page != 0; page = tree.chain.next(page)) {
      claim("I1", page, 1);
    }
  }

  private void page(int number, int level, byte @Nullable [] lower, byte @Nullable [] upper) {
    claim("I1", number, 1);
    long page = store.pin(number);
    try {
      checkHeader(number, page, level, lower, upper);
      checkRecords(number, page);
      byte[][] keys = keys(number, page, level, lower, upper);
      if (level == 0) {
        count(keys.length);
        return;
      }
      for (int i = 0; i < keys.length; i++) {
        byte[] from = i == 0 ? lower : keys[i];
        byte[] to = i + 1 < keys.length ? keys[i + 1] : upper;
        page(PageLayout.child(pages, page, i), level - 1, from, to);
      }
    } finally {
      store.unpin(page, false);
    }
  }

  private void checkHeader(
      int number, long page, int level, byte @Nullable [] lower, byte @Nullable [] upper) {
    checkEqual("I1", PageLayout.level(pages, page), level, "the level of page %d", number);
    int count = PageLayout.count(pages, page);
    int least = level == 0 ? 0 : number == tree.root() ? 2 : 1;
    checkRange("I1", count, least, pageBytes / 8, "the count of page %d", number);
    int flags =
        (lower == null ? PageLayout.NO_LOWER : 0) | (upper == null ? PageLayout.NO_UPPER : 0);
    checkEqual("I2", PageLayout.flags(pages, page), flags, "the flags of page %d", number);
    int keptLower = PageLayout.lower(pages, page);
    int keptUpper = PageLayout.upper(pages, page);
    checkRange("I2", keptLower, 0, layout.fenceBytes, "the lower fence of page %d", number);
    checkRange("I2", keptUpper, 0, layout.fenceBytes, "the upper fence of page %d", number);
    byte[] lowerBytes = layout.lowerBytes(pages, page);
    byte[] upperBytes = layout.upperBytes(pages, page);
    checkFence(number, "lower", lowerBytes, lower);
    checkFence(number, "upper", upperBytes, upper);
    checkEqual(
        "I3",
        PageLayout.prefix(pages, page),
        Fence.common(lowerBytes, upperBytes),
        "the prefix of page %d",
        number);
    int top = PageLayout.top(pages, page);
    int end = pageBytes - keptLower - keptUpper;
    checkRange("I7", top, 0, end, "the top of page %d", number);
    checkRange(
        "I8",
        PageLayout.fixedBytes(count, level > 0),
        0,
        top,
        "the end of the arrays of page %d",
        number);
    check(PageBuild.isPadded(pages, page), "I5", "page %d has heads behind the last", number);
  }

  private void checkFence(int number, String which, byte[] kept, byte @Nullable [] separator) {
    if (separator == null) {
      return; // It keeps the beginning of one of its keys.
    }
    byte[] beginning = Arrays.copyOf(separator, Math.min(separator.length, layout.fenceBytes));
    check(
        Arrays.equals(kept, beginning),
        "I2",
        "the %s fence of page %d is not the separator there",
        which,
        number);
  }

  private void checkRecords(int number, long page) {
    int count = PageLayout.count(pages, page);
    int top = PageLayout.top(pages, page);
    int end = pageBytes - PageLayout.lower(pages, page) - PageLayout.upper(pages, page);
    BitSet taken = new BitSet(pageBytes);
    int live = 0;
    for (int i = 0; i < count; i++) {
      long slot = PageLayout.slot(pages, page, i);
      int bytes = PageLayout.recordBytes(pages, slot);
      int from = (int) (PageLayout.record(pages, page, slot) - page);
      if (bytes == 0) {
        checkEqual("I7", from, 0, "the offset of the empty record %d of page %d", i, number);
        continue;
      }
      check(
          from >= top && from + bytes <= end,
          "I7",
          "record %d of page %d is at %d and has %d bytes, not from %d to %d",
          i,
          number,
          from,
          bytes,
          top,
          end);
      check(
          taken.get(from, from + bytes).isEmpty(),
          "I7",
          "record %d of page %d lies in another",
          i,
          number);
      taken.set(from, from + bytes);
      live += bytes;
    }
    checkEqual("I7", PageLayout.live(pages, page), live, "the live bytes of page %d", number);
  }

  private byte[][] keys(
      int number, long page, int level, byte @Nullable [] lower, byte @Nullable [] upper) {
    byte[][] keys = new byte[PageLayout.count(pages, page)][];
    int prefix = PageLayout.prefix(pages, page);
    for (int i = 0; i < keys.length; i++) {
      long slot = PageLayout.slot(pages, page, i);
      int remainder = PageLayout.remainder(pages, slot);
      if (level > 0 && i == 0) {
        check(
            remainder == 0 && !PageLayout.isKeyInChain(pages, slot),
            "I9",
            "entry 0 of page %d has a separator",
            number);
        keys[0] = new byte[0];
        checkHead(number, page, 0, new byte[0], 0);
        continue;
      }
      checkForm(number, page, level, i);
      byte[] key = new byte[tree.keyLength(page, i)];
      tree.copyKey(page, i, key);
      checkHead(number, page, i, key, prefix);
      keys[i] = key;
      byte[] before = i > (level > 0 ? 1 : 0) ? keys[i - 1] : null;
      check(
          before == null || Arrays.compareUnsigned(before, key) < 0,
          "I4",
          "key %d of page %d is not above the one before",
          i,
          number);
      check(
          lower == null
              || Arrays.compareUnsigned(key, lower) > 0
              || (level == 0 && Arrays.equals(key, lower)),
          "I4",
          "key %d of page %d is below its separator",
          i,
          number);
      check(
          upper == null || Arrays.compareUnsigned(key, upper) < 0,
          "I4",
          "key %d of page %d is above its separator",
          i,
          number);
    }
    return keys;
  }

  private void checkHead(int number, long page, int i, byte[] key, int prefix) {
    int rest = Math.max(0, key.length - prefix);
    long head = KeyOrder.head(MemorySegment.ofArray(key), prefix, rest);
    check(
        PageLayout.head(pages, page, i) == head,
        "I5",
        "head %d of page %d is not that of its key",
        i,
        number);
  }

  /** Checks what of an entry is in the page and what in chains. */
  private void checkForm(int number, long page, int level, int i) {
    long slot = PageLayout.slot(pages, page, i);
    int prefix = PageLayout.prefix(pages, page);
    int inPage = prefix + PageLayout.remainder(pages, slot);
    int length = tree.keyLength(page, i);
    boolean isLong = PageLayout.isKeyInChain(pages, slot);
    check(
        isLong ? inPage == layout.keyBytes && length > inPage : inPage <= layout.keyBytes,
        "I6",
        "key %d of page %d has %d of %d bytes in the page",
        i,
        number,
        inPage,
        length);
    if (isLong) {
      long reference = PageLayout.keyReference(pages, page, slot);
      claimChain(PageLayout.referredPage(pages, reference), length - inPage);
    }
    if (level > 0) {
      checkEqual("I6", PageLayout.valueBytes(pages, slot), 0, "the value of a separator");
      return;
    }
    int value = tree.valueLength(page, i);
    boolean isInChain = PageLayout.isValueInChain(pages, slot);
    check(
        layout.isInline(length, value) != isInChain,
        "I6",
        "the value of entry %d of page %d has %d bytes and is %sin a chain",
        i,
        number,
        value,
        isInChain ? "" : "not ");
    if (isInChain) {
      claimChain(PageLayout.referredPage(pages, PageLayout.valueAt(pages, page, slot)), value);
    }
  }

  private void claimChain(int first, int bytes) {
    int reference = first;
    int left = bytes;
    while (PiecePage.isPiece(reference)) {
      left -= pieces.claim(reference);
      check(left >= 0, "I10", "pieces have %d bytes more than what they are of", -left);
      reference = pieces.next(reference);
    }
    for (int i = tree.chain.pages(left); i > 0; i--) {
      claim("I10", reference, 1);
      reference = tree.chain.next(reference);
    }
    checkEqual("I10", reference, 0, "the page behind the last of a chain");
  }

  /** The pages that values share, as far as values were found there. */
  private final class Pieces {
    private final PiecePage format = new PiecePage(pageBytes);

    /** The pieces of each page that are part of values. */
    private final Map<Integer, Integer> claimed = new HashMap<>();

    /** Claims a piece, and its page if it is the first one there; returns its length. */
    int claim(int reference) {
      int number = PiecePage.pageOf(reference);
      int piece = PiecePage.pieceOf(reference);
      if (!claimed.containsKey(number)) {
        PrefixVerifier.this.claim("I12", number, 1);
        checkPage(number);
      }
      int others = claimed.getOrDefault(number, 0);
      check((others >>> piece & 1) == 0, "I12", "piece %d of page %d is in two", piece, number);
      claimed.put(number, others | 1 << piece);
      long page = store.pin(number);
      try {
        check(
            (PiecePage.living(pages, page) >>> piece & 1) != 0,
            "I12",
            "piece %d of page %d is not living",
            piece,
            number);
        return PiecePage.length(pages, page, piece);
      } finally {
        store.unpin(page, false);
      }
    }

    int next(int reference) {
      long page = store.pin(PiecePage.pageOf(reference));
      try {
        return PiecePage.next(pages, page, PiecePage.pieceOf(reference));
      } finally {
        store.unpin(page, false);
      }
    }

    private void checkPage(int number) {
      long page = store.pin(number);
      try {
        BitSet taken = new BitSet(pageBytes);
        int living = PiecePage.living(pages, page);
        for (int piece = 0; piece < Integer.SIZE; piece++) {
          if ((living >>> piece & 1) == 0) {
            continue;
          }
          check(
              format.isSound(pages, page, piece),
              "I11",
              "piece %d of page %d is out of bounds",
              piece,
              number);
          int from = PiecePage.offset(pages, page, piece);
          int to = from + PiecePage.length(pages, page, piece);
          check(
              taken.get(from, to).isEmpty(),
              "I11",
              "piece %d of page %d lies in another",
              piece,
              number);
          taken.set(from, to);
        }
      } finally {
        store.unpin(page, false);
      }
    }

    /** Checks that the pages have no other pieces, when all values were found. */
    void finish() {
      tree.pieces.outside().forEach(this::claim);
      claimed.forEach(
          (number, pieces) -> {
            long page = store.pin(number);
            int living = PiecePage.living(pages, page);
            store.unpin(page, false);
            checkEqual("I12", living, pieces, "the living pieces of page %d", number);
          });
      int open = (int) tree.meta[PrefixStructure.OPEN];
      check(
          open == 0 || claimed.containsKey(open),
          "I13",
          "page %d is open, and no value has a piece of it",
          open);
    }
  }
}
