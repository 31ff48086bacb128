// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The same ranges leave a tree for many threads, and others while its neighbours are in use. */
class SharedPrefixRangesTest extends PrefixRangesTest {
  private static final int KEYS = 6_000;

  /** The range that comes and goes. */
  private static final int FIRST = 2_000;

  private static final int LAST = 4_000;

  @Override
  BytesIndex open(PageStore store) {
    return ConcurrentPrefixBPlusTree.open(store);
  }

  @Override
  BytesIndex create(int pageBytes) {
    return ConcurrentPrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes);
  }

  /** For the first 64, which stop nobody. */
  @Override
  int looksOneByOne() {
    return 64 * 6;
  }

  @Override
  PrefixStructure structure(BytesIndex tree) {
    return ((ConcurrentPrefixBPlusTree) tree).structure();
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(i % 7 == 0 ? 300 : 12).putInt(i).array();
  }

  private static int number(BytesCursor cursor) {
    return ByteBuffer.wrap(cursor.keyArray()).getInt();
  }

  private static boolean isInRange(int i) {
    return i >= FIRST && i <= LAST;
  }

  @Test
  void rangesLeaveBesideThoseWhoWriteAndReadTheirNeighbours() throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    try (BytesIndex tree = create(512);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int i = 0; i < KEYS; i += 2) {
        tree.set(key(i), new byte[i % 30 == 0 ? 400 : 8]);
      }
      List<Future<?>> others = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        SplittableRandom random = new SplittableRandom(i);
        others.add(threads.submit(() -> writeBeside(isDone, tree, random)));
      }
      others.add(threads.submit(() -> scan(isDone, tree)));
      for (int round = 0; round < TestSize.of(30, 300); round++) {
        for (int i = FIRST; i <= LAST; i++) {
          tree.set(key(i), new byte[i % 30 == 0 ? 400 : 8]);
        }
        assertEquals(
            LAST - FIRST + 1,
            tree.removeRange(key(FIRST), true, key(LAST), true),
            "round " + round);
      }
      isDone.set(true);
      for (Future<?> other : others) {
        other.get();
      }
      tree.verify();
      long counted = 0;
      for (BytesCursor cursor = tree.cursor(); cursor.next(); counted++) {
        assertTrue(!isInRange(number(cursor)));
      }
      assertEquals(counted, tree.size());
    }
  }

  /** Writes odd keys that are not in the range, and looks for even ones, which stay. */
  private static void writeBeside(AtomicBoolean isDone, BytesIndex tree, SplittableRandom random) {
    while (!isDone.get()) {
      int any = random.nextInt(KEYS / 2) * 2;
      if (!isInRange(any)) {
        assertTrue(tree.containsKey(key(any)), () -> "lacks " + any);
      }
      if (!isInRange(any + 1)) {
        if (random.nextBoolean()) {
          tree.set(key(any + 1), new byte[any % 40]);
        } else {
          tree.delete(key(any + 1));
        }
      }
    }
  }

  /** Scans all, in which keys ascend and none is missing that stays. */
  private static void scan(AtomicBoolean isDone, BytesIndex tree) {
    while (!isDone.get()) {
      int expected = 0;
      for (BytesCursor cursor = tree.cursor(); cursor.next(); ) {
        int is = number(cursor);
        if (is % 2 == 0 && !isInRange(is)) {
          assertEquals(expected, is);
          expected = is + 2 == FIRST ? LAST + 2 : is + 2;
        }
        assertTrue(cursor.valueArray().length <= 400);
      }
      assertEquals(KEYS, expected);
    }
  }

  /** Pages that may leave memory, as those of files do. */
  private static final class LeavingPages extends ForwardingPageStore {
    LeavingPages() {
      super(IndexOptions.DEFAULT.pagesBesideReaders(512));
    }

    @Override
    public boolean pagesStay() {
      return false;
    }
  }

  /** A long value is shown where it lies: what has the tree alone waits, and others go on. */
  @Test
  void readersOfLongValuesAreWaitedForByWhatHasTheTreeAloneOnly() throws Exception {
    try (BytesIndex tree = open(new LeavingPages());
        ExecutorService threads = Executors.newCachedThreadPool()) {
      tree.set(key(1), new byte[500]);
      List<Future<?>> clears = new ArrayList<>();
      boolean isThere =
          tree.get(
              MemorySegment.ofArray(key(1)),
              (_, _, _, position, _) -> {
                if (position == 0) {
                  clears.add(threads.submit(tree::clear));
                  useElsewhere(threads, tree);
                }
              });
      assertTrue(isThere);
      clears.getFirst().get();
      assertTrue(tree.isEmpty());
    }
  }

  private static void useElsewhere(ExecutorService threads, BytesIndex tree) {
    Future<?> user =
        threads.submit(
            () -> {
              for (int i = 2; i < 300; i++) {
                tree.set(key(i), new byte[8]);
                assertTrue(tree.containsKey(key(i)));
                tree.set(key(1), new byte[700]);
              }
            });
    try {
      user.get();
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }
}
