// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntSupplier;

/** Makes the shortest separator between two keys of a list (Bayer and Unterauer). */
final class Separators {
  private Separators() {}

  /**
   * Makes the first bytes of a key of a leaf, up to the first in which it differs from the key
   * before it, a separator.
   *
   * @param allocate gives out pages for a separator that is longer than a page has of a key
   */
  static void between(
      Chain chain,
      PageLayout layout,
      EntryList list,
      int right,
      NewEntry separator,
      IntSupplier allocate) {
    int length = list.common(right - 1, right) + 1;
    if (length <= list.keyBytes(right)) {
      byte[] bytes = list.beginning(right, length);
      separator.separator(MemorySegment.ofArray(bytes), length, 0, layout);
      return;
    }
    byte[] key = whole(chain, list, right);
    int common = list.keyBytes(right);
    if (list.keyChain(right - 1) != 0) {
      byte[] before = whole(chain, list, right - 1);
      int differ = Arrays.mismatch(before, key);
      common = differ < 0 ? before.length : differ;
    }
    byte[] bytes = Arrays.copyOf(key, common + 1);
    separator.separator(MemorySegment.ofArray(bytes), bytes.length, 0, layout);
    separator.keyChain =
        chain.write(separator.key, layout.keyBytes, bytes.length - layout.keyBytes, allocate);
  }

  private static byte[] whole(Chain chain, EntryList list, int i) {
    byte[] key = Arrays.copyOf(list.beginning(i, list.keyBytes(i)), list.keyLength(i));
    chain.copy(list.keyChain(i), key.length - list.keyBytes(i), key, list.keyBytes(i));
    return key;
  }
}
