// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.cola.Cola;
import dev.espalier.family.Family;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class StoreVerifierTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  static Stream<TreeVariant> paged() {
    return PagedTrees.namesOfKinds().stream().map(Family::named);
  }

  private Path path() {
    return folder.resolve("store");
  }

  @ParameterizedTest
  @MethodSource("paged")
  void aStoreIsSoundWhateverWasDoneToIt(TreeVariant variant) {
    Random random = new Random(TestSize.seed());
    Deque<Snapshot> snapshots = new ArrayDeque<>();
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      store.verify();
      for (int round = 0; round < TestSize.share(10, 300); round++) {
        String name = "index " + random.nextInt(3);
        LongIndex index = store.index(name, variant);
        for (int i = 0; i < 1_000; i++) {
          long key = random.nextInt(5_000);
          if (random.nextInt(4) == 0) {
            index.delete(key);
          } else {
            index.set(key, i);
          }
        }
        switch (random.nextInt(9)) {
          case 0 -> store.checkpoint();
          case 1 -> snapshots.add(store.snapshot());
          case 2 -> {
            if (!snapshots.isEmpty()) {
              snapshots.remove().close();
            }
          }
          case 3 -> store.shrink();
          case 4 -> index.close();
          case 5 -> store.drop(name);
          case 6 -> index.clear();
          case 7 -> index.removeRange(random.nextInt(4_000), true, 4_000, true);
          default -> store.commit();
        }
        store.verify();
      }
    }
    try (IndexStore again = IndexStore.open(path(), SMALL)) {
      again.verify();
    }
    StoreOptions readOnly = SMALL.withFiles(SMALL.files().withFlags(FileOption.READ_ONLY));
    try (IndexStore again = IndexStore.open(path(), readOnly)) {
      again.verify();
    }
  }

  /** A write that had nothing to store may have begun a segment of the log, and not written it. */
  @Test
  void aSegmentWithoutRecordsIsSound() {
    StoreEnvironment environment = Stores.environment(PageFiles.DIRECT);
    try (IndexStore store = new StoreOpening(path(), SMALL, environment).open()) {
      BytesIndex index = store.bytesIndex("a");
      byte[] key = new byte[1];
      byte[] value = new byte[9_000];
      index.set(key, value);
      for (int i = 0; i < 20; i++) {
        index.putIfAbsent(key, value);
        store.verify();
        index.set(key, Arrays.copyOf(value, 5_000));
      }
    }
  }

  @Test
  void aBackupIsSound() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      fill(store.index("a", Cola.VARIANT), 20_000);
      store.backup(folder.resolve("copy"));
    }
    StoreOptions readOnly = SMALL.withFiles(SMALL.files().withFlags(FileOption.READ_ONLY));
    try (IndexStore copy = IndexStore.open(folder.resolve("copy"), readOnly)) {
      copy.verify();
    }
    try (IndexStore copy = IndexStore.open(folder.resolve("copy"), SMALL)) {
      copy.verify();
    }
  }

  @Test
  void theListenerIsToldOfAllPagesAndCancels() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      fill(store.index("a"), 20_000);
      store.checkpoint();
      long[] last = new long[1];
      store.verify(
          (done, total) -> {
            assertTrue(done <= total, done + " of " + total);
            last[0] = done;
            return true;
          });
      PageMap map = store.state().indexes.get("a").map;
      assertEquals(
          IntStream.range(1, map.end()).filter(page -> map.slot(page) > PageMap.UNWRITTEN).count(),
          last[0]);
      assertTrue(last[0] >= 20_000 * 16 / 4096, "pages read: " + last[0]);
      assertThrows(CancellationException.class, () -> store.verify((done, total) -> false));
    }
  }

  private static void fill(LongIndex index, long count) {
    for (long key = 0; key < count; key++) {
      index.set(key, key);
    }
  }

  // ---------------------------------------------------------------- corruptions

  /** What is done to a sound store, whose number says which invariant does not hold then. */
  private enum Corruption {
    I1_TWO_PAGES_IN_ONE_SLOT {
      @Override
      void in(StoreState state) {
        PageMap map = a(state).map;
        map.set(page(state, 1), map.slot(page(state, 2)), map.checksum(page(state, 2)));
      }
    },
    I1_SLOT_BEHIND_THE_END {
      @Override
      void in(StoreState state) {
        a(state).map.set(page(state, 1), state.space.room(), 0);
      }
    },
    I1_SLOT_OF_A_HEADER {
      @Override
      void in(StoreState state) {
        a(state).map.set(page(state, 1), 3, 0);
      }
    },
    I1_CATALOGUE_DAMAGED {
      @Override
      void in(StoreState state) {
        flip(state.path, state.header.catalogueSlot() * 4096L + 100);
      }
    },
    I2_PAGE_OF_A_CHECKPOINT_WRITTEN_IN_PLACE {
      @Override
      void in(StoreState state) {
        int page = page(state, 1);
        seal(state, page, PageSeal.tag(a(state).id, state.header.checkpoint()));
      }
    },
    I3_PAGE_DAMAGED {
      @Override
      void in(StoreState state) {
        flip(state.path, a(state).map.slot(page(state, 1)) * 4096L + 2_000);
      }
    },
    I3_ANOTHER_CHECKSUM {
      @Override
      void in(StoreState state) {
        PageMap map = a(state).map;
        int page = page(state, 1);
        map.set(page, map.slot(page), map.checksum(page) + 1);
      }
    },
    I3_TWO_PAGES_EXCHANGED {
      @Override
      void in(StoreState state) {
        PageMap map = a(state).map;
        int one = page(state, 1);
        int two = page(state, 2);
        int slot = map.slot(one);
        int checksum = map.checksum(one);
        map.set(one, map.slot(two), map.checksum(two));
        map.set(two, slot, checksum);
      }
    },
    I3_PAGE_OF_ANOTHER_INDEX {
      @Override
      void in(StoreState state) {
        seal(state, page(state, 1), PageSeal.tag(a(state).id + 1, state.header.checkpoint()));
      }
    },
    I3_PAGE_WRITTEN_FOR_A_LATER_CHECKPOINT {
      @Override
      void in(StoreState state) {
        long later = state.header.checkpoint() + 2;
        seal(state, page(state, 1), PageSeal.tag(a(state).id, later));
      }
    },
    I3_PAGE_OF_A_SNAPSHOT_DAMAGED {
      @Override
      void in(StoreState state) {
        Snapshot snapshot = state.snapshots.iterator().next();
        IndexPages then = snapshot.contents().indexes().getFirst();
        int page = 1;
        while (then.map.slot(page) <= PageMap.UNWRITTEN
            || then.map.slot(page) == a(state).map.slot(page)) {
          page++;
        }
        flip(state.path, then.map.slot(page) * 4096L + 2_000);
      }
    },
    I4_SLOT_TAKEN_FOR_NOTHING {
      @Override
      void in(StoreState state) {
        state.space.take();
      }
    },
    I4_SLOT_OF_A_PAGE_FREE {
      @Override
      void in(StoreState state) {
        state.space.release(a(state).map.slot(page(state, 1)));
      }
    },
    I4_SLOT_IN_USE_AND_NOT_BUSY {
      @Override
      void in(StoreState state) {
        state.space.noteLoaded(state.space.room() - 1);
      }
    },
    I4_SNAPSHOT_WITHOUT_ITS_SLOTS {
      @Override
      void in(StoreState state) {
        state.snapshots.iterator().next().slots().clear();
      }
    },
    I5_STORE_GOES_BY_ANOTHER_HEADER {
      @Override
      void in(StoreState state) {
        state.header = state.header.withEpoch(state.header.epoch() + 1);
      }
    },
    I5_HEADER_OF_ANOTHER_STORE {
      @Override
      void in(StoreState state) {
        StoreHeader header = state.header;
        write(state, with(header, header.storeId() + 1, header.checkpoint() - 1, 0, 0));
      }
    },
    I5_HEADER_OF_ANOTHER_TIME {
      @Override
      void in(StoreState state) {
        StoreHeader header = state.header;
        write(state, with(header, header.storeId(), header.checkpoint() - 3, 0, 0));
      }
    },
    I5_HEADERS_BEFORE_DAMAGED {
      @Override
      void in(StoreState state) {
        long before = (state.header.checkpoint() - 1) % 2;
        flip(state.path, before * 4096 + 20);
        flip(state.path, (before + 2) * 4096 + 20);
      }
    },
    I6_LOG_GOES_ON_NOWHERE {
      @Override
      void in(StoreState state) {
        StoreHeader header = state.header;
        write(state, with(header, header.storeId(), header.checkpoint(), 0, 100));
        state.header = with(header, header.storeId(), header.checkpoint(), 0, 100);
      }
    },
    I7_RECORD_DAMAGED {
      @Override
      void in(StoreState state) {
        for (LogSegment segment : state.log.used()) {
          if (segment.number == state.header.logSegment()) {
            flip(segment.path(), state.header.logOffset() + LogRecord.HEADER_BYTES);
          }
        }
      }
    },
    I7_RECORD_MISSING {
      @Override
      void in(StoreState state) {
        StoreHeader header = state.header;
        StoreHeader later = with(header, header.storeId(), header.checkpoint(), 1, 0);
        write(state, later);
        state.header = later;
      }
    },
    I8_FIRST_BLOCK_DAMAGED {
      @Override
      void in(StoreState state) {
        flip(state.log.used().getLast().path(), 40);
      }
    },
    I8_SEGMENT_OF_ANOTHER_NUMBER {
      @Override
      void in(StoreState state) {
        state.log.used().getLast().number += 1;
      }
    },
    I9_FILE_TRUNCATED {
      @Override
      void in(StoreState state) {
        state.file.truncate(state.file.bytes() - 4096);
      }
    },
    I10_CHECKPOINT_OF_WHAT_WAS_NOT_APPENDED {
      @Override
      void in(StoreState state) {
        StoreHeader header = state.header;
        StoreHeader later = with(header, header.storeId(), header.checkpoint(), 1L << 30, 0);
        write(state, later);
        state.header = later;
      }
    },
    I11_PAGE_WITH_A_SLOT_FREE {
      @Override
      void in(StoreState state) {
        a(state).numbers.giveBack(page(state, 1));
      }
    },
    I11_PAGE_IN_USE_WITHOUT_A_SLOT {
      @Override
      void in(StoreState state) {
        IndexPages index = a(state);
        index.numbers.take(index.numbers.top() + 1, 1);
      }
    },
    I12_ENTRIES_COUNTED_WRONGLY {
      @Override
      void in(StoreState state) {
        for (int word = 0; word < a(state).meta.length; word++) {
          if (a(state).meta[word] == a(state).meta[3]) {
            a(state).meta[word]++;
          }
        }
      }
    };

    abstract void in(StoreState state);

    String invariant() {
      return name().substring(0, name().indexOf('_'));
    }

    static IndexPages a(StoreState state) {
      return state.indexes.get("a");
    }

    /** Returns the n-th page that has a slot since the last checkpoint or before. */
    static int page(StoreState state, int n) {
      PageMap map = a(state).map;
      int page = 0;
      for (int found = 0; found < n; ) {
        page++;
        int slot = map.slot(page);
        if (slot > PageMap.UNWRITTEN && !state.space.isFresh(slot)) {
          found++;
        }
      }
      return page;
    }

    static void seal(StoreState state, int page, long tag) {
      PageMap map = a(state).map;
      try (PageBatch batch = new PageBatch(4096)) {
        batch.add(page, map.slot(page), map.checksum(page));
        batch.read(state.file);
        batch.seal(0, tag);
        batch.write(state.file, new int[] {map.slot(page)});
        map.set(page, map.slot(page), batch.checksum(0));
      }
    }

    static StoreHeader with(
        StoreHeader header, long storeId, long checkpoint, long moreSequence, long moreSegments) {
      return new StoreHeader(
          storeId,
          checkpoint,
          header.sequence() + moreSequence,
          header.epoch(),
          header.logSegment() + moreSegments,
          header.logOffset(),
          header.catalogueSlot(),
          header.catalogueChecksum(),
          header.pageBytes(),
          header.segmentBytes(),
          header.slots(),
          header.stripes(),
          header.clean());
    }

    static void write(StoreState state, StoreHeader header) {
      header.writeTo(state.file, 1);
    }

    static void flip(Path file, long at) {
      try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
        bytes.seek(at);
        int before = bytes.read();
        bytes.seek(at);
        bytes.write(before ^ 0x10);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Corruption.class)
  void aCorruptionIsReportedByTheNumberOfItsInvariant(Corruption corruption) {
    IndexStore store = IndexStore.open(path(), SMALL);
    try {
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      fill(index, 20_000);
      store.index("b", Cola.VARIANT);
      store.snapshot();
      for (long key = 0; key < 3_000; key++) {
        index.set(key, -key);
      }
      store.checkpoint();
      fill(index, 10);
      store.commit();
      store.verify();
      corruption.in(store.state());
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, store::verify);
      assertEquals(corruption.invariant(), violation.invariant(), violation.getMessage());
    } finally {
      abandon(store);
    }
  }

  /** Closes a store that is corrupt. */
  static void abandon(IndexStore store) {
    try {
      store.state().condition.noteFailure(new IllegalStateException("corrupted by a test"));
      store.close();
    } catch (PageFileException expected) {
      assertTrue(expected.getMessage().contains("corrupted by a test"), expected.getMessage());
    }
  }
}
