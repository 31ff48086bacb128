// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A tree for many threads announces each write of a key once, before readers can see it. */
class AnnouncedStringsTest {
  private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
  private final Announced pages = new Announced();
  private final BytesIndex index = ConcurrentPrefixBPlusTree.open(pages);

  /** Compares what a reader sees at each announcement with what was there. */
  private final class Announced extends ForwardingPageStore {
    private int sets;
    private int removals;
    private byte @Nullable [] value;

    Announced() {
      super(new MemoryPageStore(512, Long.MAX_VALUE, HugePages.OFF));
    }

    @Override
    public void beforeSet(MemorySegment key, MemorySegment newValue) {
      sets++;
      value = newValue.toArray(ValueLayout.JAVA_BYTE);
      assertIsAsBefore(key);
    }

    @Override
    public void beforeRemoval(MemorySegment key) {
      removals++;
      assertIsAsBefore(key);
    }

    private void assertIsAsBefore(MemorySegment key) {
      byte[] bytes = key.toArray(ValueLayout.JAVA_BYTE);
      assertArrayEquals(model.get(bytes), index.get(bytes));
    }

    private void assertAnnounced(int newSets, int newRemovals) {
      assertEquals(newSets, sets);
      assertEquals(newRemovals, removals);
      sets = 0;
      removals = 0;
    }
  }

  private void set(byte[] key, byte[] value, Runnable write) {
    write.run();
    pages.assertAnnounced(1, 0);
    assertArrayEquals(value, pages.value);
    model.put(key, value);
  }

  @Test
  void eachWriteIsAnnouncedOnceBeforeReadersSeeIt() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 5_000; i++) {
      byte[] key = PrefixModelTest.key(random, i % 7);
      byte[] value = PrefixModelTest.value(random);
      MemorySegment memory = MemorySegment.ofArray(key);
      boolean isThere = model.containsKey(key);
      BytesCursor cursor = index.cursor();
      switch (random.nextInt(i / 1_000 % 2 == 0 ? 4 : 7)) {
        case 0 -> set(key, value, () -> index.set(key, value));
        case 1 -> set(key, value, () -> index.put(key, value));
        case 2 -> {
          index.putIfAbsent(key, value);
          pages.assertAnnounced(isThere ? 0 : 1, 0);
          model.putIfAbsent(key, value);
        }
        case 3 -> {
          if (isThere && cursor.ceiling(memory)) {
            set(key, value, () -> cursor.setValue(MemorySegment.ofArray(value)));
          }
        }
        case 4 -> {
          index.delete(key);
          pages.assertAnnounced(0, isThere ? 1 : 0);
          model.remove(key);
        }
        case 5 -> {
          index.remove(key);
          pages.assertAnnounced(0, isThere ? 1 : 0);
          model.remove(key);
        }
        default -> {
          if (isThere && cursor.ceiling(memory)) {
            cursor.remove();
            pages.assertAnnounced(0, 1);
            model.remove(key);
          }
        }
      }
      assertArrayEquals(model.get(key), index.get(key));
    }
    index.verify();
    assertEquals(model.size(), index.size());
  }
}
