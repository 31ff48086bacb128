// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A writer of a tree for many threads is paused when its change is made and its call has not
 * returned. Another thread sees the change, commits what follows from it, and the power fails: then
 * the change is there as well.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeenWritesTest {
  static final List<String> TREES = List.of("BLinkTree", "FpbLinkTree", "PioBTree");

  /** What each write changes: that of key 1 from 10 to 20, or from 10 to none. */
  enum Write {
    PUT("put", 20, (_, index) -> index.put(1, 20)),
    SET("set", 20, (_, index) -> index.set(1, 20)),
    REPLACE("replace", 20, (_, index) -> index.replace(1, 10, 20)),
    PUT_OF_A_NEW_KEY("put", 0, (_, index) -> index.put(2, 20)),
    INSERT("insert", 0, (_, index) -> index.insert(2, 20)),
    PUT_IF_ABSENT("set", 0, (_, index) -> index.putIfAbsent(2, 20)),
    REMOVE("remove", -1, (_, index) -> index.remove(1)),
    REMOVE_A_VALUE("remove", -1, (_, index) -> index.remove(1, 10)),
    DELETE("delete", -1, (_, index) -> index.delete(1)),
    PUT_ALL("putAll", 20, (_, index) -> index.putAll(new long[] {1, 2}, new long[] {20, 20})),
    REMOVE_RANGE("removeRange", -1, (_, index) -> index.removeRange(0, true, 9, true)),
    CLEAR("clear", -1, (_, index) -> index.clear()),
    BATCH("putAll", 20, (store, index) -> store.write(new WriteBatch().set(index, 1, 20))),
    BATCH_THAT_REMOVES("delete", -1, (store, index) -> store.write(batchOf(index)));

    /** The call of the tree by which it is made. */
    private final String call;

    /** The value of key 1 afterwards, -1 for none; 0 if key 2 has 20 instead. */
    private final long after;

    private final BiConsumer<IndexStore, LongIndex> write;

    Write(String call, long after, BiConsumer<IndexStore, LongIndex> write) {
      this.call = call;
      this.after = after;
      this.write = write;
    }

    private static WriteBatch batchOf(LongIndex index) {
      return new WriteBatch().delete(index, 1);
    }

    /** Returns what a reader sees of the write. */
    private long seen(LongIndex index) {
      return after == 0 ? index.getOrDefault(2, -1) == 20 ? 0 : -1 : index.getOrDefault(1, -1);
    }
  }

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final CountDownLatch isPaused = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private volatile String pausing = "";

  private IndexStore open(Set<Rule> without) {
    StoreOptions options = StoreOptions.DEFAULT.withSegmentBytes(32 << 10);
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false, without);
    return new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
  }

  /** Returns a tree that pauses after the call that is named by then. */
  private TreeVariant pausing(TreeVariant plain) {
    return TreeVariant.inPages(
        plain.name(),
        plain.paper(),
        plain.factory(),
        (options, pages) -> pausing(plain.open(options, pages)));
  }

  private LongIndex pausing(LongIndex tree) {
    return (LongIndex)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ConcurrentLongIndex.class},
            (_, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(tree, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
              if (method.getName().equals(pausing)) {
                isPaused.countDown();
                Waiting.await(goOn);
              }
              return result;
            });
  }

  /** Returns what is seen of a paused write, and what is left of it and of what followed. */
  private List<Long> seenAndLeft(String tree, Write write, Set<Rule> without)
      throws InterruptedException {
    IndexStore store = open(without);
    LongIndex index = store.index("a", pausing(Family.named(tree)));
    LongIndex other = store.index("b");
    index.set(1, 10);
    store.commit();
    pausing = write.call;
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    write.write.accept(store, index);
                  } catch (PageFileException lost) {
                    assertTrue(disk.crashed());
                  }
                });
    Waiting.await(isPaused);
    pausing = "";
    long seen = write.seen(index);
    other.set(1, seen);
    store.commit();
    disk.losePower();
    goOn.countDown();
    writer.join();
    try {
      store.close();
    } catch (PageFileException | PowerLostException lost) {
      // It can't say farewell.
    }
    disk.restart(CrashPlan.NOTHING);
    try (IndexStore again = open(Set.of())) {
      long left = write.seen(again.index("a", Family.named(tree)));
      return List.of(seen, left, again.index("b").get(1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWasSeenSurvivesWithWhatFollowedFromIt(Write write) throws InterruptedException {
    for (String tree : TREES) {
      List<Long> seen = List.of(write.after, write.after, write.after);
      assertEquals(seen, new SeenWritesTest().seenAndLeft(tree, write, Set.of()), tree);
    }
  }

  @ParameterizedTest
  @FieldSource("TREES")
  void whatIsNotLoggedYetIsLostThoughItWasSeen(String tree) throws InterruptedException {
    Set<Rule> without = Set.of(Rule.READERS_SEE_WHAT_IS_LOGGED);
    for (Write write : Write.values()) {
      SeenWritesTest test = new SeenWritesTest();
      List<Long> left = test.seenAndLeft(tree, write, without);
      assertEquals(write.after, left.getFirst(), write::name);
      assertEquals(write.after, left.get(2), write::name);
      assertTrue(!left.get(1).equals(write.after), write::name);
    }
  }
}
