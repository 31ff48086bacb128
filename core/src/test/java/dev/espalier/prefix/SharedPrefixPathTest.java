// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.PageStore;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which pages a cursor of a tree for many threads asks for ahead. */
@Tag("fallback-too")
class SharedPrefixPathTest extends PrefixPathTest {
  @Override
  BytesIndex open(PageStore pages) {
    return ConcurrentPrefixBPlusTree.open(pages);
  }

  @Override
  PrefixStructure structure(BytesIndex opened) {
    return ((ConcurrentPrefixBPlusTree) opened).structure();
  }

  @Test
  void whatIsThereIsNotAskedFor() {
    store.areThere = true;
    BytesCursor cursor = index.cursor();
    for (int i = 0; i < ENTRIES / 2; i++) {
      assertTrue(cursor.next());
    }
    assertEquals(List.of(), store.asked);
    store.areThere = false;
    for (int i = 0; i < ENTRIES / 2; i++) {
      assertTrue(cursor.next());
    }
    assertFalse(store.asked.isEmpty());
    assertTrue(firstOf(store.asked.getFirst()) > ENTRIES / 2);
    int asked = store.asked.size();
    store.areThere = true;
    while (cursor.previous()) {
      assertTrue(cursor.valueBytes() < 20);
    }
    assertEquals(asked, store.asked.size());
  }
}
