// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.PageStore;
import org.junit.jupiter.api.Tag;

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
}
