// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.InterruptedCalls;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.RandomInterrupts;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesEntrySource;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sorters whose thread is interrupted while they write to their files and read from them. */
@Tag("fallback-too")
final class InterruptedSortTest {
  /** So many that they go through a file with the least memory. */
  private static final int ENTRIES = 200_000;

  private static final int INTERRUPTS = TestSize.share(300, 30_000);

  @TempDir private Path folder;

  private SortOptions options;

  @BeforeEach
  void useLittleMemory() {
    options = SortOptions.DEFAULT.withMemoryBytes(SortOptions.MIN_MEMORY_BYTES).withFolder(folder);
  }

  /** The keys in the order in which they are added. */
  private static long key(int added) {
    return added * 7_919L % ENTRIES;
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private void sortLongs(Runnable afterCall) {
    try (EntrySorter sorter = EntrySorter.create(options)) {
      for (int i = 0; i < ENTRIES; i++) {
        sorter.add(key(i), i);
        afterCall.run();
      }
      LongEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      afterCall.run();
      for (long key = 0; key < ENTRIES; key++) {
        assertTrue(sorted.next());
        afterCall.run();
        assertEquals(key, sorted.key());
      }
      assertFalse(sorted.next());
    }
    afterCall.run();
  }

  private void sortByteStrings(Runnable afterCall) {
    try (BytesSorter sorter = BytesSorter.create(options)) {
      for (int i = 0; i < ENTRIES; i++) {
        sorter.add(bytes(key(i)), bytes(i));
        afterCall.run();
      }
      BytesEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      afterCall.run();
      for (long key = 0; key < ENTRIES; key++) {
        assertTrue(sorted.next());
        afterCall.run();
        assertEquals(key, ByteBuffer.wrap(sorted.key().toArray(ValueLayout.JAVA_BYTE)).getLong());
      }
      assertFalse(sorted.next());
    }
    afterCall.run();
  }

  @Test
  void sortersGoOnWithTheStatusSet() throws Exception {
    InterruptedCalls.run(() -> sortLongs(() -> assertTrue(Thread.currentThread().isInterrupted())));
    InterruptedCalls.run(
        () -> sortByteStrings(() -> assertTrue(Thread.currentThread().isInterrupted())));
  }

  @Test
  void sortersGoOnThroughInterruptsAtRandomMoments() {
    try (RandomInterrupts interrupts = new RandomInterrupts(49, INTERRUPTS)) {
      while (interrupts.goOn()) {
        sortLongs(interrupts::afterCall);
        sortByteStrings(interrupts::afterCall);
      }
    }
  }
}
