// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories of a prefix B+-tree in small pages against a sorted map, verified all along. */
class PrefixModelTest {
  private static final String[] WORDS = {
    "https://www.example.org/", "tenant/0001/orders/", "samehead", "a", "zz", "mail@"
  };

  private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  /** Keys that have much in common, of a kind drawn for a history. */
  static byte[] key(SplittableRandom random, int kind) {
    return switch (kind) {
      case 0 -> filled(random.nextInt(70), (byte) 0xff);
      case 1 -> filled(random.nextInt(70), (byte) 0);
      case 2 -> few(random, random.nextInt(12));
      case 3 -> (WORDS[random.nextInt(WORDS.length)] + random.nextInt(3_000)).getBytes();
      case 4 -> ("%s%010d".formatted(WORDS[1], random.nextInt(5_000))).getBytes();
      case 5 -> longKey(random);
      default -> {
        byte[] any = new byte[random.nextInt(40)];
        random.nextBytes(any);
        yield any;
      }
    };
  }

  private static byte[] filled(int length, byte with) {
    byte[] key = new byte[length];
    Arrays.fill(key, with);
    return key;
  }

  private static byte[] few(SplittableRandom random, int length) {
    byte[] key = new byte[length];
    for (int i = 0; i < length; i++) {
      key[i] = (byte) (random.nextInt(2) * 255);
    }
    return key;
  }

  /** Keys that differ far behind what a page has of them. */
  private static byte[] longKey(SplittableRandom random) {
    byte[] key = filled(random.nextInt(10) == 0 ? 65_535 : 100 + random.nextInt(900), (byte) 'k');
    key[key.length - 1 - random.nextInt(3)] = (byte) random.nextInt(5);
    return key;
  }

  static byte[] value(SplittableRandom random) {
    byte[] value = new byte[random.nextInt(30) == 0 ? random.nextInt(3_000) : random.nextInt(20)];
    random.nextBytes(value);
    return value;
  }

  private void assertSame(BytesIndex tree) {
    tree.verify();
    assertEquals(model.size(), tree.size());
    BytesCursor cursor = tree.cursor();
    for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
      assertTrue(cursor.next());
      assertArrayEquals(entry.getKey(), cursor.keyArray());
      assertArrayEquals(entry.getValue(), cursor.valueArray());
    }
    assertFalse(cursor.next());
    for (Map.Entry<byte[], byte[]> entry : model.descendingMap().entrySet()) {
      assertTrue(cursor.previous());
      assertArrayEquals(entry.getKey(), cursor.keyArray());
    }
    assertFalse(cursor.previous());
  }

  @ParameterizedTest
  @CsvSource({
    "512, 0", "512, 1", "512, 2", "512, 3", "512, 4", "512, 5", "512, 6", "512, 7", "1024, 3",
    "1024, 5", "1024, 7", "4096, 7"
  })
  void historyIsThatOfASortedMap(int pageBytes, int kind) {
    check(
        kind,
        () -> {
          PrefixBPlusTree tree = PrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes);
          return new Tree(tree, tree.structure());
        });
  }

  @ParameterizedTest
  @CsvSource({"512, 0", "512, 2", "512, 3", "512, 5", "512, 7", "1024, 5", "4096, 7"})
  void historyOfOneThreadInATreeForManyIsThatOfASortedMap(int pageBytes, int kind) {
    check(
        kind,
        () -> {
          ConcurrentPrefixBPlusTree tree =
              ConcurrentPrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes);
          return new Tree(tree, tree.structure());
        });
  }

  private record Tree(BytesIndex index, PrefixStructure structure) {}

  private void check(int kind, Supplier<Tree> factory) {
    for (long seed : TestSize.seeds(2, 6)) {
      model.clear();
      SplittableRandom random = new SplittableRandom(seed * 31 + kind);
      Tree made = factory.get();
      try (BytesIndex tree = made.index) {
        int removes = 3;
        for (int step = 0; step < 2_500; step++) {
          if (step % 400 == 0) {
            removes = random.nextInt(1, 9);
          }
          byte[] key = key(random, kind == 7 ? random.nextInt(7) : kind);
          if (random.nextInt(10) < removes) {
            assertEquals(model.remove(key) != null, tree.delete(key));
          } else {
            byte[] value = value(random);
            assertArrayEquals(model.put(key, value), tree.put(key, value));
          }
          byte[] sought = key(random, kind == 7 ? random.nextInt(7) : kind);
          assertArrayEquals(model.get(sought), tree.get(sought));
          BytesCursor cursor = tree.cursor();
          byte[] ceiling = model.ceilingKey(sought);
          assertEquals(ceiling != null, cursor.ceiling(MemorySegment.ofArray(sought)));
          if (ceiling != null) {
            assertArrayEquals(ceiling, cursor.keyArray());
          }
          if (step % 50 == 0) {
            tree.verify();
          }
        }
        assertSame(tree);
        for (byte[] key : model.keySet().toArray(new byte[0][])) {
          assertTrue(tree.delete(key));
        }
        model.clear();
        assertSame(tree);
        assertEquals(1, made.structure.store.pagesInUse());
      }
    }
  }
}
