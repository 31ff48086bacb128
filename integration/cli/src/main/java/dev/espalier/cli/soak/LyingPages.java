// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.TreeVariant;
import dev.espalier.memory.PageStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Pages of trees in an open store that lie: their bytes are changed in the pool, so that the store
 * writes them with the checksums of what they then have.
 */
public final class LyingPages {
  /** What a field is at its extremes, whatever it means. */
  private static final long[] EXTREMES = {
    0,
    1,
    2,
    -1,
    -2,
    7,
    64,
    255,
    256,
    4096,
    65_535,
    Short.MAX_VALUE,
    Short.MIN_VALUE,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE - 1,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  /** Half of the lies are in the first bytes, where what a page says of itself is. */
  private static final int FIRST_BYTES = 32;

  /** One lie in so many is in a word that the store keeps for the tree. */
  private static final int LIES_OF_A_WORD = 10;

  private static final int MOST_CHANGES = 3;

  private final TreeVariant tree;
  private final List<PageStore> stores = new ArrayList<>();

  /** Takes a tree, whose pages are to be found. */
  public LyingPages(TreeVariant tree) {
    this.tree =
        TreeVariant.inPages(
            tree.name(),
            tree.paper(),
            tree.factory(),
            (options, pages) -> {
              stores.add(pages);
              return tree.open(options, pages);
            });
  }

  /** Returns the tree by which indexes are to be opened, so that their pages are known here. */
  public TreeVariant tree() {
    return tree;
  }

  /**
   * Changes a few bytes of a page of an index that was opened, or a word that its store keeps.
   *
   * @return what was changed
   */
  public String lie(SplittableRandom random) {
    PageStore pages = stores.get(random.nextInt(stores.size()));
    List<Integer> inUse = pagesInUse(pages);
    if (inUse.isEmpty() || random.nextInt(LIES_OF_A_WORD) == 0) {
      return lieInWords(pages.meta(), random);
    }
    int page = inUse.get(random.nextInt(inUse.size()));
    StringBuilder what = new StringBuilder("page " + page + ":");
    pages.beforeChange();
    long at = pages.pin(page);
    ByteBuffer bytes =
        pages
            .segment()
            .asSlice(at, pages.pageBytes())
            .asByteBuffer()
            .order(ByteOrder.LITTLE_ENDIAN);
    for (int i = random.nextInt(MOST_CHANGES); i >= 0; i--) {
      what.append(change(bytes, random));
    }
    pages.unpin(at, true);
    return what.toString();
  }

  private static List<Integer> pagesInUse(PageStore pages) {
    List<Integer> inUse = new ArrayList<>();
    int count = pages.pagesInUse();
    for (int page = 1; inUse.size() < count; page++) {
      if (pages.isInUse(page)) {
        inUse.add(page);
      }
    }
    return inUse;
  }

  private static String lieInWords(long[] words, SplittableRandom random) {
    int word = random.nextInt(words.length);
    long old = words[word];
    words[word] = lie(old, random);
    return "word %d from %d to %d;".formatted(word, old, words[word]);
  }

  /** Changes a field of some width. */
  private static String change(ByteBuffer bytes, SplittableRandom random) {
    int width = 1 << random.nextInt(4);
    int room = bytes.capacity() - PageStore.RESERVED_BYTES;
    int reach = random.nextBoolean() ? FIRST_BYTES : room;
    int at = PageStore.RESERVED_BYTES + random.nextInt(reach / width) * width;
    long old = get(bytes, at, width);
    long value = lie(old, random);
    switch (width) {
      case 1 -> bytes.put(at, (byte) value);
      case 2 -> bytes.putShort(at, (short) value);
      case 4 -> bytes.putInt(at, (int) value);
      default -> bytes.putLong(at, value);
    }
    return " %d bytes at %d from %d to %d;".formatted(width, at, old, get(bytes, at, width));
  }

  private static long lie(long old, SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> old + (random.nextBoolean() ? 1 : -1);
      case 1 -> random.nextLong();
      case 2 -> random.nextInt(40);
      default -> EXTREMES[random.nextInt(EXTREMES.length)];
    };
  }

  private static long get(ByteBuffer bytes, int at, int width) {
    return switch (width) {
      case 1 -> bytes.get(at);
      case 2 -> bytes.getShort(at);
      case 4 -> bytes.getInt(at);
      default -> bytes.getLong(at);
    };
  }
}
