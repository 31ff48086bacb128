// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The schedules that decision 30 is about, step by step: what a reader makes of a node that a
 * writer is at.
 */
@Tag("fallback-exhaustive")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionSchedulesTest {
  private static final long NODE = 64;

  private final MemorySegment nodes = MemorySegment.ofArray(new long[16]);

  private long nodeAtRest() {
    Versions.begin(nodes, NODE);
    Versions.unlatch(nodes, NODE);
    return Versions.read(nodes, NODE);
  }

  // ---------------------------------------------------------------- the word

  @Test
  void latchWithoutAChangeDisturbsOnlyReadersThatBeganBefore() {
    long word = nodeAtRest();
    assertTrue(Versions.latch(nodes, NODE));
    long latched = Versions.read(nodes, NODE);
    assertTrue(Versions.isReadable(latched), "a reader that comes now may read");
    assertTrue(Versions.isStill(nodes, NODE, latched));
    assertFalse(Versions.isStill(nodes, NODE, word));
    Versions.unlatch(nodes, NODE);
    assertFalse(Versions.isStill(nodes, NODE, latched));
  }

  @Test
  void readerThatBeganBeforeAChangeOrDuringItLearnsOfIt() {
    long before = nodeAtRest();
    Versions.latch(nodes, NODE);
    Versions.beginChange(nodes, NODE);
    long during = Versions.read(nodes, NODE);
    assertFalse(Versions.isReadable(during));
    assertFalse(Versions.isStill(nodes, NODE, before));
    Versions.endChange(nodes, NODE);
    assertTrue(Versions.isReadable(Versions.read(nodes, NODE)), "latched, and at rest");
    assertFalse(Versions.isStill(nodes, NODE, before));
    assertFalse(Versions.isStill(nodes, NODE, during));
    Versions.unlatch(nodes, NODE);
    assertFalse(Versions.isStill(nodes, NODE, before));
  }

  @Test
  void oneOfTwoWritersThatSawTheSameWordGetsTheLatch() {
    long word = nodeAtRest();
    assertTrue(Versions.tryLatch(nodes, NODE, word));
    assertFalse(Versions.tryLatch(nodes, NODE, word));
    assertFalse(Versions.tryLatch(nodes, NODE, Versions.read(nodes, NODE)), "it is latched");
    Versions.unlatch(nodes, NODE);
    assertFalse(Versions.tryLatch(nodes, NODE, word), "the node is another");
  }

  @Test
  void lateReaderOfANodeThatIsUsedAgainLearnsThatItIsAnotherOne() {
    long word = nodeAtRest();
    Versions.latch(nodes, NODE);
    Versions.retire(nodes, NODE);
    long gone = Versions.read(nodes, NODE);
    assertFalse(Versions.isReadable(gone));
    assertFalse(Versions.isStill(nodes, NODE, word));
    assertFalse(Versions.latch(nodes, NODE), "there is no latch of a node that is gone");
    Versions.reuse(nodes, NODE);
    assertFalse(Versions.isStill(nodes, NODE, word));
    assertFalse(Versions.isStill(nodes, NODE, gone));
    Versions.unlatch(nodes, NODE);
    assertTrue(Versions.isAtRest(Versions.read(nodes, NODE)));
    assertFalse(Versions.isStill(nodes, NODE, word), "though it looks as before");
  }

  @Test
  void noWordComesTwice() {
    long word = nodeAtRest();
    for (int use = 0; use < 100; use++) {
      Versions.latch(nodes, NODE);
      Versions.beginChange(nodes, NODE);
      Versions.endChange(nodes, NODE);
      Versions.retire(nodes, NODE);
      Versions.reuse(nodes, NODE);
      Versions.unlatch(nodes, NODE);
      assertNotEquals(word, Versions.read(nodes, NODE));
      assertTrue(Long.compareUnsigned(word, Versions.read(nodes, NODE)) < 0);
    }
  }

  // ---------------------------------------------------------------- the count

  @Test
  void changeUnderWayBeforeOrBehindAReaderIsNoticed() {
    long before = Words.getLong(nodes, 0);
    assertTrue(Versions.noneSince(nodes, 0, before));
    Versions.countBegin(nodes, 0);
    long during = Words.getLong(nodes, 0);
    assertFalse(Versions.noneSince(nodes, 0, before));
    assertFalse(Versions.noneSince(nodes, 0, during));
    Versions.countEnd(nodes, 0);
    assertFalse(Versions.noneSince(nodes, 0, before));
    assertFalse(Versions.noneSince(nodes, 0, during));
    assertTrue(Versions.noneSince(nodes, 0, Words.getLong(nodes, 0)));
  }

  @Test
  void changeThatEndsWhileAnotherGoesOnLeavesThatUnderWay() {
    Versions.countBegin(nodes, 0);
    Versions.countBegin(nodes, 0);
    Versions.countEnd(nodes, 0);
    assertFalse(Versions.noneSince(nodes, 0, Words.getLong(nodes, 0)));
    Versions.countEnd(nodes, 0);
    assertTrue(Versions.noneSince(nodes, 0, Words.getLong(nodes, 0)));
  }

  @Test
  void noCountComesTwice() {
    long last = Words.getLong(nodes, 0);
    for (int change = 0; change < 200_000; change++) {
      Versions.countBegin(nodes, 0);
      Versions.countEnd(nodes, 0);
      long count = Words.getLong(nodes, 0);
      assertTrue(count > last);
      last = count;
    }
  }

  /** The parent says where entries are before they leave where they were; see decision 45. */
  @Test
  @Tag("thorough")
  void everyChangeOfAnInnerNodeIsCountedAndNoneOfALeaf() {
    try (ConcurrentPbPlusTree index = tree(0)) {
      long[] changes = {Words.getLong(index.tree.nodes, ConcurrentStructure.CHANGES)};
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 20_000; i++) {
        String before = innerNodes(index);
        long key = random.nextLong(i < 10_000 ? 2000 : 200);
        if (random.nextInt(i < 10_000 ? 3 : 9) == 0) {
          index.put(key, i);
        } else {
          index.remove(key);
        }
        long now = Words.getLong(index.tree.nodes, ConcurrentStructure.CHANGES);
        assertEquals(before.equals(innerNodes(index)), now == changes[0], "in step " + i);
        assertTrue(Versions.noneSince(index.tree.nodes, ConcurrentStructure.CHANGES, now));
        changes[0] = now;
      }
    }
  }

  /** Returns separators and children of all inner nodes. */
  private static String innerNodes(ConcurrentPbPlusTree index) {
    StringBuilder all = new StringBuilder();
    addInnerNodes(index.rootView(), all);
    return all.toString();
  }

  private static void addInnerNodes(NodeView node, StringBuilder all) {
    all.append(node.offset());
    if (node.level() > 0) {
      for (int i = 0; i < node.count(); i++) {
        all.append(' ').append(node.key(i));
      }
      for (int i = 0; i <= node.count(); i++) {
        all.append('(');
        addInnerNodes(node.child(i), all);
        all.append(')');
      }
    }
  }

  // ---------------------------------------------------------------- the tree

  /** Does something in another thread, which must not end before the change of the root does. */
  private static <T> T whileTheRootChanges(ConcurrentPbPlusTree index, Callable<T> call)
      throws Exception {
    MemorySegment memory = index.tree.nodes;
    long ofRoot = Words.getLong(memory, ConcurrentStructure.ROOT);
    long root = ConcurrentStructure.nodeOf(ofRoot);
    boolean isInner = ConcurrentStructure.levelOf(ofRoot) > 0;
    assertTrue(Versions.latch(memory, root));
    if (isInner) {
      Versions.countBegin(memory, ConcurrentStructure.CHANGES);
    }
    Versions.beginChange(memory, root);
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = Thread.ofPlatform().start(task);
    // Between its attempts it only spins; it sleeps where it waits for the latch.
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertFalse(task.isDone(), "it has read a node that was being changed");
      Thread.onSpinWait();
    }
    assertFalse(task.isDone());
    Versions.endChange(memory, root);
    if (isInner) {
      Versions.countEnd(memory, ConcurrentStructure.CHANGES);
    }
    Versions.unlatch(memory, root);
    return task.get(30, TimeUnit.SECONDS);
  }

  private static ConcurrentPbPlusTree tree(int entries) {
    ConcurrentPbPlusTree index =
        ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 1));
    for (long key = 0; key < entries; key++) {
      index.put(key, 10 * key);
    }
    return index;
  }

  @Test
  void lookupThatFindsItsLeafUnderChangeTakesTheLatchInTheEnd() throws Exception {
    try (ConcurrentPbPlusTree index = tree(2)) {
      assertEquals(10, whileTheRootChanges(index, () -> index.get(1)));
      assertTrue(whileTheRootChanges(index, () -> index.containsKey(1)));
      index.verify();
    }
  }

  @Test
  void lookupThatFindsTheRootUnderChangeTakesTheLatchInTheEnd() throws Exception {
    try (ConcurrentPbPlusTree index = tree(100)) {
      assertEquals(500, whileTheRootChanges(index, () -> index.get(50)));
      index.verify();
    }
  }

  @Test
  void batchThatFindsItsNodesUnderChangeAnswersOneByOneInTheEnd() throws Exception {
    try (ConcurrentPbPlusTree index = tree(100)) {
      long[] values = new long[3];
      long[] found = new long[1];
      int count =
          whileTheRootChanges(index, () -> index.getAll(new long[] {0, 50, 100}, values, found));
      assertEquals(2, count);
      assertEquals(3, found[0]);
      assertEquals(500, values[1]);
      assertEquals(index.missingValue(), values[2]);
    }
  }

  @Test
  void writerThatFindsItsLeafUnderChangeWaitsForTheLatch() throws Exception {
    try (ConcurrentPbPlusTree index = tree(2)) {
      assertFalse(whileTheRootChanges(index, () -> index.insert(1, 7)));
      assertEquals(10, whileTheRootChanges(index, () -> index.put(1, 7)));
      assertTrue(whileTheRootChanges(index, () -> index.replace(1, 7, 8)));
      assertEquals(8, whileTheRootChanges(index, () -> index.remove(1)));
      index.verify();
    }
  }

  // ---------------------------------------------------------------- snapshots

  /** Does something in another thread, which has to wait by now. */
  private static <T> FutureTask<T> waiting(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = Thread.ofPlatform().start(task);
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertFalse(task.isDone(), "it has not waited");
      Thread.onSpinWait();
    }
    return task;
  }

  /** What happens in the midst of a write: a snapshot is asked for, and then another write. */
  private static final class Meeting {
    private final ConcurrentPbPlusTree index;
    private @Nullable FutureTask<LongIndex> snapshot;
    private @Nullable FutureTask<Long> write;

    Meeting(ConcurrentPbPlusTree index, int step, long value) {
      this.index = index;
      int[] steps = new int[1];
      index.tree.beforeStep =
          () -> {
            if (steps[0]++ == step) {
              snapshot = waiting(index::snapshot);
              write = waiting(() -> index.put(0, value));
            }
          };
    }

    /** Ends it after the write; tells whether there were so many steps. */
    boolean end(TreeMap<Long, Long> before, TreeMap<Long, Long> after, long value)
        throws Exception {
      index.tree.beforeStep = () -> {};
      if (snapshot == null || write == null) {
        return false;
      }
      try (LongIndex taken = snapshot.get(30, TimeUnit.SECONDS)) {
        assertEquals(before.get(0L), write.get(30, TimeUnit.SECONDS));
        SnapshotTest.assertHolds(taken.size() == after.size() ? after : before, taken);
        assertEquals(value, index.get(0));
      }
      return true;
    }
  }

  /**
   * A snapshot is asked for at each step of a split or merge, and another write while it waits. The
   * snapshot has the first write or, if the split was only to make room, not yet; of the second it
   * has nothing.
   */
  @Test
  void snapshotWaitsForTheWriteThatHasBegunAndTheNextWriteForTheSnapshot() throws Exception {
    int meetings = 0;
    for (int step = 0; step < 4; step++) {
      try (ConcurrentPbPlusTree index = tree(0)) {
        TreeMap<Long, Long> model = SnapshotTest.fill(index, 60, 2);
        for (long i = 0; i < 60; i++) {
          TreeMap<Long, Long> before = new TreeMap<>(model);
          Meeting meeting = new Meeting(index, step, -i);
          if (i < 30) {
            index.put(10 * i + 5, i);
            model.put(10 * i + 5, i);
          } else {
            index.remove(2 * i);
            model.remove(2 * i);
          }
          if (meeting.end(before, model, -i)) {
            model.put(0L, -i);
            meetings++;
          }
        }
        index.verify();
        assertEquals(model, new TreeMap<>(index.asMap()));
      }
    }
    assertTrue(meetings > 20, meetings + " meetings");
  }
}
