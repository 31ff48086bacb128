// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.ShortHistories;
import dev.espalier.threads.ThreadsContract;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Several threads that write and read one tree of byte strings at once. */
class ConcurrentPrefixThreadsTest extends ThreadsContract<LongsInByteStrings> {
  private static final int WRITES = TestSize.share(10_000, 200_000);

  /** Words in a key that is longer than what a page of 512 bytes has of it. */
  private static final int LONG = 60;

  ConcurrentPrefixThreadsTest() {
    super(WRITES);
  }

  private static LongsInByteStrings over(BytesIndex index, long missing, int longKey) {
    return new LongsInByteStrings(index, missing, longKey);
  }

  private static LongsInByteStrings tree(int pageBytes, int longKey) {
    return over(ConcurrentPrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes), 0, longKey);
  }

  @Override
  protected LongsInByteStrings tree() {
    return tree(512, 2);
  }

  @Override
  protected void verifyAlone(LongsInByteStrings index) {
    super.verifyAlone(index);
    assertEquals(0, ((ConcurrentPrefixBPlusTree) index.index).structure().shared().outside());
  }

  /** Counts of threads are added up one by one, and a removal may be counted before its insert. */
  @Test
  void whatIsNotCountedYetMakesNoTreeEmptyAndNoSizeNegative() {
    try (LongsInByteStrings index = tree()) {
      EntryCount size = ((ConcurrentPrefixBPlusTree) index.index).structure().size;
      index.put(1, 1);
      size.add(-1);
      assertEquals(0, index.size());
      assertFalse(index.isEmpty());
      size.add(-1);
      assertEquals(0, index.size());
      assertThrows(InvariantViolationException.class, index::verify);
      size.add(2);
      index.remove(1);
      assertTrue(index.isEmpty());
      index.verify();
      size.add(-1);
      assertThrows(InvariantViolationException.class, index::verify);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInTheSmallestPages() throws Exception {
    try (LongsInByteStrings index = tree(512, 2)) {
      KeyHistories.run(index, 3000, 3, 4, WRITES);
      verifyAlone(index);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyWithLongKeys() throws Exception {
    try (LongsInByteStrings index = tree(512, LONG)) {
      KeyHistories.run(index, 3000, 3, 4, WRITES);
      verifyAlone(index);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInPagesOfTheUsualSize() throws Exception {
    try (LongsInByteStrings index = tree(4096, 2)) {
      KeyHistories.run(index, 10_000, 2, 4, WRITES);
      verifyAlone(index);
    }
  }

  /** The memory of the pages begins small, and moves while it grows. */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInMemoryThatMoves() throws Exception {
    MemoryPageStore store = IndexOptions.DEFAULT.pagesInMemory(512);
    try (LongsInByteStrings index = over(ConcurrentPrefixBPlusTree.open(store), 0, LONG)) {
      KeyHistories.run(index, 3000, 3, 4, WRITES);
      verifyAlone(index);
    }
  }

  /** Who moves the memory waits for all operations; a reader of values may take its time. */
  @Test
  void aReaderOfALongValueKeepsNobodyFromMovingTheMemory() {
    MemoryPageStore store = IndexOptions.DEFAULT.pagesInMemory(512);
    BytesIndex index = ConcurrentPrefixBPlusTree.open(store);
    byte[] key = {1};
    index.set(key, new byte[10_000]);
    long before = store.segment().byteSize();
    AtomicLong shown = new AtomicLong();
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () ->
            index.get(
                MemorySegment.ofArray(key),
                (_, _, bytes, _, _) -> {
                  CompletableFuture.runAsync(() -> fill(index, 5000)).join();
                  assertTrue(index.containsKey(key));
                  shown.addAndGet(bytes);
                }));
    assertEquals(10_000, shown.get());
    assertTrue(store.segment().byteSize() > before, "has moved");
    index.verify();
    index.close();
  }

  private static void fill(BytesIndex index, int entries) {
    for (int i = 0; i < entries; i++) {
      index.set(ByteBuffer.allocate(Long.BYTES).putLong(i).array(), new byte[100]);
    }
  }

  @Test
  void shortHistoriesAreLinearizable() throws Exception {
    ShortHistories.checkOfByteStrings(
        options ->
            over(ConcurrentPrefixBPlusTree.create(options, 512), options.missingValue(), LONG),
        TestSize.share(300, 5_000),
        20);
  }

  /** What has left the tree is free as soon as nobody can reach it. */
  @Test
  void pagesThatHaveLeftAreUsedAgain() {
    try (LongsInByteStrings index = tree(512, LONG)) {
      int most = 0;
      for (int round = 0; round < 20; round++) {
        for (long key = 0; key < 500; key++) {
          index.put(key, 5 * key);
        }
        for (long key = 0; key < 500; key++) {
          index.remove(key);
        }
        index.verify();
        int pages = ((ConcurrentPrefixBPlusTree) index.index).structure().store.pagesInUse();
        most = round == 1 ? pages : most;
        assertTrue(round < 2 || pages <= most + 10, pages + " pages after round " + round);
      }
    }
  }
}
