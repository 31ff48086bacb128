// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.memory.Arenas;
import dev.espalier.pio.PioBTree;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Trees for several threads take no memory from readers as they grow. The JVM would set the
 * interrupt status of a thread that reads memory while it is freed.
 */
@Tag("fallback-thorough")
class GrowthBesideReadersTest {
  /** More than fits into one huge page. */
  private static final int KEYS = 200_000;

  static Stream<Function<IndexOptions, LongIndex>> trees() {
    return Stream.of(
        BLinkTree::create, FpbLinkTree::create, PioBTree::create, ConcurrentPbPlusTree::create);
  }

  @ParameterizedTest
  @MethodSource("trees")
  void noMemoryIsFreed(Function<IndexOptions, LongIndex> create) {
    LongIndex tree = create.apply(IndexOptions.DEFAULT);
    Arenas arenas = new Arenas(tree);
    try (tree) {
      assertTrue(arenas.seen() > 0);
      for (long key = 0; key < KEYS; key++) {
        tree.put(key, key);
        if (Long.bitCount(key) == 1) {
          assertEquals(0, arenas.leaked());
        }
      }
      assertEquals(arenas.seen(), arenas.open());
      assertEquals(KEYS, tree.size());
    }
    assertEquals(0, arenas.open());
  }
}
