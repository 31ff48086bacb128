// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TwoLevelMemoryTest {
  private static final int BLOCK = 64;
  private static final int WORD = 8;

  private final TwoLevelMemory memory = new TwoLevelMemory(3 * BLOCK, BLOCK);

  @Test
  void aBlockComesInOnceHoweverOftenItIsUsed() {
    for (int offset = 0; offset < BLOCK; offset += WORD) {
      memory.read(offset, WORD);
      memory.write(offset, WORD);
    }
    assertEquals(new Transfers(1, 0), memory.transfers());
  }

  @Test
  void anAccessBringsInEveryBlockItTouches() {
    memory.read(BLOCK - 1, 2);
    assertEquals(new Transfers(2, 0), memory.transfers());
    memory.write(10 * BLOCK, 5 * BLOCK);
    assertEquals(7, memory.transfers().in());
    memory.read(100 * BLOCK, 0);
    assertEquals(7, memory.transfers().in());
  }

  @Test
  void theBlockUsedLongestAgoMakesWay() {
    touch(0, 1, 2, 0, 3); // 1 makes way
    assertEquals(4, memory.transfers().in());
    touch(0, 2, 3);
    assertEquals(4, memory.transfers().in());
    touch(1);
    assertEquals(5, memory.transfers().in());
    touch(0); // made way for 1
    assertEquals(6, memory.transfers().in());
  }

  @Test
  void onlyAChangedBlockIsTransferredOutAndOnlyWhenItMakesWay() {
    memory.write(0, WORD);
    touch(1, 2);
    assertEquals(new Transfers(3, 0), memory.transfers());
    touch(3);
    assertEquals(new Transfers(4, 1), memory.transfers());
    touch(4, 5, 0, 6, 7, 8);
    assertEquals(1, memory.transfers().out());
  }

  @Test
  void resetKeepsWhatIsInFastMemory() {
    memory.write(0, WORD);
    memory.reset();
    assertEquals(new Transfers(0, 0), memory.transfers());
    touch(0, 1, 2, 3);
    assertEquals(new Transfers(3, 1), memory.transfers());
    assertEquals(4, memory.transfers().sum());
  }

  @Test
  void aPrefetchIsNoTransfer() {
    memory.prefetch(0, 2);
    assertEquals(new Transfers(0, 0), memory.transfers());
  }

  @Test
  void memoryThatIsAllocatedIsNotThereThoughItsAddressesWere() {
    for (long bytes : new long[] {2 * BLOCK, 1L << 40}) {
      TwoLevelMemory fast = new TwoLevelMemory(3 * BLOCK, BLOCK);
      for (int block : new int[] {0, 1, 2}) {
        fast.write((long) block * BLOCK, WORD);
      }
      fast.allocated(BLOCK, bytes);
      fast.read(0, WORD);
      assertEquals(new Transfers(3, 0), fast.transfers());
      fast.read(BLOCK, WORD); // the block that was there before makes way
      assertEquals(new Transfers(4, 1), fast.transfers());
      fast.read(2 * BLOCK, WORD);
      assertEquals(new Transfers(5, 2), fast.transfers());
      fast.read(BLOCK, WORD);
      fast.read(0, WORD);
      assertEquals(new Transfers(5, 2), fast.transfers());
    }
  }

  @Test
  void aMemoryOfOneBlockForgetsItWithTheNext() {
    TwoLevelMemory least = new TwoLevelMemory(BLOCK, BLOCK);
    least.write(0, WORD);
    least.write(BLOCK, WORD);
    least.read(0, WORD);
    assertEquals(new Transfers(3, 2), least.transfers());
  }

  @Test
  void sizesThatMakeNoMemoryAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new TwoLevelMemory(1 << 20, 48));
    assertThrows(IllegalArgumentException.class, () -> new TwoLevelMemory(1 << 20, 1));
    assertThrows(IllegalArgumentException.class, () -> new TwoLevelMemory(BLOCK - 1, BLOCK));
    assertThrows(IllegalArgumentException.class, () -> new TwoLevelMemory(1L << 40, 2));
  }

  @Test
  void aForkTellsEachMemoryWhatItWouldCountAlone() {
    TwoLevelMemory wide = new TwoLevelMemory(8 * BLOCK, 4 * BLOCK);
    TraceFork fork = new TraceFork(List.of(memory, wide));
    fork.write(0, WORD);
    fork.read(BLOCK, WORD);
    fork.prefetch(100 * BLOCK, 1);
    assertEquals(new Transfers(2, 0), memory.transfers());
    assertEquals(new Transfers(1, 0), wide.transfers());
    fork.allocated(0, BLOCK);
    fork.read(0, WORD);
    assertEquals(new Transfers(3, 0), memory.transfers());
    assertEquals(new Transfers(2, 0), wide.transfers());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64})
  void countsWhatANaiveModelCounts(int frames) {
    TwoLevelMemory fast = new TwoLevelMemory((long) frames * BLOCK, BLOCK);
    Naive naive = new Naive(frames);
    SplittableRandom random = new SplittableRandom(frames);
    long base = 1L << 40;
    for (int i = 0; i < 50_000; i++) {
      boolean near = random.nextInt(4) > 0;
      long address = base + random.nextInt(near ? 20 * BLOCK : 500 * BLOCK);
      int bytes = random.nextInt(8) == 0 ? random.nextInt(3 * BLOCK) : WORD;
      boolean changes = random.nextInt(3) == 0;
      if (changes) {
        fast.write(address, bytes);
      } else {
        fast.read(address, bytes);
      }
      for (long at = address; at < address + bytes; at++) {
        naive.use(at / BLOCK, changes);
      }
      if (random.nextInt(50) == 0) {
        long from = base + random.nextInt(20) * BLOCK;
        int freed = 1 + random.nextInt(100 * BLOCK);
        fast.allocated(from, freed);
        naive.free(from / BLOCK, (from + freed - 1) / BLOCK);
      }
      assertEquals(new Transfers(naive.in, naive.out), fast.transfers());
    }
  }

  private void touch(int... blocks) {
    for (int block : blocks) {
      memory.read((long) block * BLOCK, WORD);
    }
  }

  /** The model in its own words: blocks in the order of their last use, with whether changed. */
  private static final class Naive extends LinkedHashMap<Long, Boolean> {
    private static final long serialVersionUID = 1L;

    private final int frames;
    private long in;
    private long out;
    private long freed;

    Naive(int frames) {
      super(16, 0.75f, true);
      this.frames = frames;
    }

    /** Gives blocks other names, at their places in the order. */
    void free(long first, long last) {
      Map<Long, Boolean> all = new LinkedHashMap<>(this);
      clear();
      all.forEach(
          (block, changed) -> put(block >= first && block <= last ? --freed : block, changed));
    }

    void use(long block, boolean changes) {
      Boolean known = get(block);
      if (known == null) {
        in++;
        if (size() == frames) {
          Map.Entry<Long, Boolean> eldest = firstEntry();
          out += eldest.getValue() ? 1 : 0;
          remove(eldest.getKey());
        }
      }
      put(block, changes || Boolean.TRUE.equals(known));
    }
  }
}
