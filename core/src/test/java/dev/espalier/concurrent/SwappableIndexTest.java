// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwappableIndexTest {
  private static final int KEYS = 100;

  /** An index all of whose values say which version it is. */
  private static LongIndex version(long number) {
    LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);
    for (long key = 0; key < KEYS; key++) {
      index.put(key, number);
    }
    return index;
  }

  @Test
  void leaseStaysWithItsVersionAndTheLastOneClosesIt() {
    LongIndex first = version(1);
    LongIndex second = version(2);
    try (SwappableIndex<LongIndex> swappable = SwappableIndex.of(first)) {
      SwappableIndex.Lease<LongIndex> one = swappable.lease();
      SwappableIndex.Lease<LongIndex> other = swappable.lease();
      swappable.swap(second);
      assertSame(first, one.index());
      assertEquals(1, one.index().get(5));
      try (SwappableIndex.Lease<LongIndex> later = swappable.lease()) {
        assertSame(second, later.index());
      }
      one.close();
      one.close();
      assertFalse(first.isClosed());
      assertEquals(1, other.index().get(5));
      other.close();
      assertTrue(first.isClosed());
      assertFalse(second.isClosed());
      assertThrows(IllegalStateException.class, one::index);
    }
    assertTrue(second.isClosed());
  }

  @Test
  void versionWithoutReadersIsClosedAtOnce() {
    LongIndex first = version(1);
    try (SwappableIndex<LongIndex> swappable = SwappableIndex.of(first)) {
      swappable.lease().close();
      swappable.swap(version(2));
      assertTrue(first.isClosed());
    }
  }

  @Test
  void indexesOfByteStringsAreReplacedToo() {
    BytesIndex first = PrefixBPlusTree.create(IndexOptions.DEFAULT);
    first.set(new byte[] {1}, new byte[] {2});
    BytesIndex second = PrefixBPlusTree.create(IndexOptions.DEFAULT);
    try (SwappableIndex<BytesIndex> swappable = SwappableIndex.of(first)) {
      SwappableIndex.Lease<BytesIndex> lease = swappable.lease();
      swappable.swap(second);
      assertArrayEquals(new byte[] {2}, lease.index().get(new byte[] {1}));
      lease.close();
      assertTrue(first.isClosed());
      assertThrows(IllegalArgumentException.class, () -> SwappableIndex.of(first));
    }
    assertTrue(second.isClosed());
  }

  @Test
  void closingLetsReadersFinish() {
    LongIndex index = version(1);
    SwappableIndex<LongIndex> swappable = SwappableIndex.of(index);
    SwappableIndex.Lease<LongIndex> lease = swappable.lease();
    swappable.close();
    swappable.close();
    assertTrue(swappable.isClosed());
    assertThrows(IllegalStateException.class, swappable::lease);
    assertEquals(1, lease.index().get(7));
    LongIndex late = version(3);
    assertThrows(IllegalStateException.class, () -> swappable.swap(late));
    assertFalse(late.isClosed());
    late.close();
    lease.close();
    assertTrue(index.isClosed());
    assertThrows(IllegalStateException.class, swappable::lease);
  }

  @Test
  void wrongIndexesAreRefused() {
    LongIndex closed = version(1);
    closed.close();
    assertThrows(IllegalArgumentException.class, () -> SwappableIndex.of(closed));
    LongIndex index = version(2);
    try (SwappableIndex<LongIndex> swappable = SwappableIndex.of(index)) {
      assertThrows(IllegalArgumentException.class, () -> swappable.swap(closed));
      assertThrows(IllegalArgumentException.class, () -> swappable.swap(index));
      try (SwappableIndex.Lease<LongIndex> lease = swappable.lease()) {
        assertNotSame(closed, lease.index());
        assertEquals(2, lease.index().get(0));
      }
    }
  }

  /**
   * Each lease sees one version whole, versions only go forward, and all but the last are closed.
   */
  @Test
  void readersSeeVersionsWholeAndInOrder() throws Exception {
    int swaps = TestSize.share(300, 5_000);
    List<LongIndex> versions = new ArrayList<>();
    versions.add(version(0));
    AtomicBoolean isDone = new AtomicBoolean();
    SwappableIndex<LongIndex> swappable = SwappableIndex.of(versions.getFirst());
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<Long>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Callable<Long> reader = () -> read(swappable, isDone);
        readers.add(threads.submit(reader));
      }
      for (int number = 1; number <= swaps; number++) {
        versions.add(version(number));
        swappable.swap(versions.getLast());
      }
      isDone.set(true);
      for (Future<Long> reader : readers) {
        assertEquals(swaps, reader.get());
      }
    }
    assertFalse(versions.removeLast().isClosed());
    assertTrue(versions.stream().allMatch(LongIndex::isClosed));
    swappable.close();
  }

  private static long read(SwappableIndex<LongIndex> swappable, AtomicBoolean isDone) {
    long last = 0;
    boolean isLast;
    do {
      isLast = isDone.get();
      try (SwappableIndex.Lease<LongIndex> lease = swappable.lease()) {
        long number = lease.index().get(0);
        assertTrue(number >= last, () -> "version " + number + " comes late");
        for (long key = 1; key < KEYS; key++) {
          assertEquals(number, lease.index().get(key));
        }
        last = number;
      }
    } while (!isLast);
    return last;
  }
}
