// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.MemoryLimitException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Trees in a memory that is always nearly full. The limits differ by one line, so memory is refused
 * to each of the allocations of a change, whichever comes first; a tree is as it was after that,
 * and has lost no memory.
 */
class RefusalTest {
  /** Limits from 16 KiB on, a cache line apart. */
  private static final int LIMITS = TestSize.of(6, 24);

  private static final int LINE = 64;
  private static final int REFUSALS = 200;

  /** Writes that come after one another, where memory is refused and where it is not. */
  private static final int MOST_WRITES = 2500;

  @RegisterExtension final Indexes indexes = new Indexes();

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallest")
  void hundredsOfRefusalsAtEveryLimitLeaveTheTreeAsItWas(TreeShape shape) {
    int refusals = 0;
    for (int i = 0; i < LIMITS; i++) {
      long limit = (16 << 10) + (long) i * LINE;
      if (limit >= shape.leastMemoryLimit()) {
        refusals += new Run(shape, limit).refusals();
      }
    }
    assertTrue(refusals > LIMITS * REFUSALS / 2, refusals + " refusals");
  }

  /** One index of one limit, beside a map. */
  private final class Run {
    private final TreeMap<Long, Long> model = new TreeMap<>();
    private final SplittableRandom random;
    private final LongIndex index;
    private final LongCursor cursor;

    Run(TreeShape shape, long limit) {
      this.random = new SplittableRandom(limit);
      this.index = indexes.create(shape, IndexOptions.DEFAULT.withMemoryLimit(limit));
      this.cursor = index.cursor();
    }

    int refusals() {
      int refusals = 0;
      for (int i = 0; i < MOST_WRITES && refusals < REFUSALS; i++) {
        long key = random.nextLong();
        boolean isPlaced = cursor.ceiling(random.nextLong());
        long place = isPlaced ? cursor.key() : 0;
        if (!isPut(key, i)) {
          refusals++;
          assertFalse(index.containsKey(key));
          if (isPlaced) {
            assertEquals(model.higherKey(place), cursor.next() ? cursor.key() : null);
          }
          makeSomeRoom(random.nextInt(3));
        }
        if (i % 500 == 0) {
          assertHolds();
        }
      }
      assertHolds();
      return refusals;
    }

    private boolean isPut(long key, long value) {
      try {
        index.put(key, value);
        model.put(key, value);
        return true;
      } catch (MemoryLimitException _) {
        return false;
      }
    }

    private void makeSomeRoom(int entries) {
      for (int i = 0; i < entries; i++) {
        Long key = model.ceilingKey(random.nextLong());
        if (key != null) {
          assertEquals(model.remove(key), index.remove(key));
        }
      }
    }

    private void assertHolds() {
      index.verify();
      assertEquals(model.size(), index.size());
      LongCursor all = index.cursor();
      for (Map.Entry<Long, Long> entry : model.entrySet()) {
        assertTrue(all.next());
        assertEquals(entry.getKey(), all.key());
        assertEquals(entry.getValue(), all.value());
      }
      assertFalse(all.next());
    }
  }
}
