// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.PagedShape;
import dev.espalier.memory.PageStore;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All of a tree is in its store: opened again, it is the tree that was there. */
class ReopenedStoreTest {
  @ParameterizedTest
  @MethodSource("dev.espalier.PagedShape#smallest")
  void treeOpenedAgainIsTheSameTree(PagedShape shape) {
    PageStore store = shape.newStore();
    LongIndex before = shape.open(store);
    long[] keys = LongStream.range(0, 2000).map(i -> i * 0x9e37_79b9_7f4a_7c15L).toArray();
    for (long key : keys) {
      before.put(key, ~key);
    }
    for (int i = 0; i < 500; i++) {
      before.remove(keys[i]);
    }
    int pages = store.pagesInUse();
    try (LongIndex after = shape.open(store)) {
      assertEquals(1500, after.size());
      assertEquals(pages, store.pagesInUse());
      after.verify();
      for (int i = 500; i < keys.length; i++) {
        assertEquals(~keys[i], after.get(keys[i]));
      }
      for (int i = 0; i < 500; i++) {
        after.put(keys[i], i);
      }
      after.verify();
      assertEquals(2000, after.size());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.PagedShape#smallest")
  void emptyTreeIsATreeToo(PagedShape shape) {
    PageStore store = shape.newStore();
    LongIndex before = shape.open(store);
    before.clear();
    int pages = store.pagesInUse();
    try (LongIndex after = shape.open(store)) {
      assertTrue(after.isEmpty());
      assertEquals(pages, store.pagesInUse());
      after.verify();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.PagedShape#smallest")
  void anotherKindOfTreeIsRefusedAndTheStoreLeftAsItWas(PagedShape shape) {
    try (PageStore store = shape.newStore()) {
      LongIndex index = shape.open(store);
      index.put(1, 10);
      long[] meta = store.meta().clone();
      for (PagedShape other : PagedShape.smallest()) {
        if (!other.tree().equals(shape.tree())) {
          assertThrows(IllegalArgumentException.class, () -> other.open(store), other::toString);
        }
      }
      assertEquals(
          LongStream.of(meta).boxed().toList(), LongStream.of(store.meta()).boxed().toList());
      assertEquals(10, index.get(1));
      index.verify();
    }
  }
}
