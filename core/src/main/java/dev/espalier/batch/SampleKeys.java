// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import dev.espalier.inspect.NodeView;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random keys with about the same distribution as the keys of an index, though most are not in the
 * index.
 */
final class SampleKeys {
  /** How many keys of the index to choose random keys between. */
  private static final int KNOWN = 1024;

  private SampleKeys() {}

  /** Returns {@code count} random keys for an index that has entries. */
  static long[] of(LongIndex index, int count) {
    SplittableRandom random = new SplittableRandom(count);
    long[] known = new long[KNOWN];
    Arrays.setAll(known, _ -> someKey(index.rootView(), random));
    Arrays.sort(known);
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      int at = random.nextInt(KNOWN - 1);
      long low = known[at];
      long high = known[at + 1];
      keys[i] = low < high ? random.nextLong(low, high) : low;
    }
    return keys;
  }

  /** Descends to a random leaf and returns a random key of it. */
  private static long someKey(NodeView root, SplittableRandom random) {
    NodeView node = root;
    while (node.children() > 0) {
      node = node.child(random.nextInt(node.children()));
    }
    return node.count() == 0 ? 0 : node.key(random.nextInt(node.count()));
  }
}
