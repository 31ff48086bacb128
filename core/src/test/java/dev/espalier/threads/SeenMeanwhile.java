// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/** What readers must see while a writer is paused: all that it does not change. */
public final class SeenMeanwhile {
  private SeenMeanwhile() {}

  /**
   * Checks the entries of a model, by lookups, batches and scans in both directions.
   *
   * @param open tells of which keys it is open whether they are there; all others must be there if
   *     and only if they are in the model
   */
  public static void assertHolds(LongIndex index, TreeMap<Long, Long> model, LongPredicate open) {
    TreeMap<Long, Long> settled = new TreeMap<>(model);
    settled.keySet().removeIf(open::test);
    long[] keys = settled.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    LongCursor forth = index.cursor();
    LongCursor back = index.cursor();
    for (int i = 0; i < keys.length; i++) {
      assertEquals(settled.get(keys[i]), values[i]);
      assertEquals(values[i], index.get(keys[i]));
      if (!open.test(keys[i] + 1)) {
        assertEquals(settled.containsKey(keys[i] + 1), index.containsKey(keys[i] + 1));
      }
      do {
        assertTrue(forth.next());
      } while (open.test(forth.key()));
      assertEquals(keys[i], forth.key());
      do {
        assertTrue(back.previous());
      } while (open.test(back.key()));
      assertEquals(keys[keys.length - 1 - i], back.key());
    }
  }
}
