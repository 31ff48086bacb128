// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** What tests of streams share: an index, and a log of the answers. */
@Timeout(60)
abstract class StreamFixture {
  /** No timer goes off with these. */
  static final ProbeStreamOptions PATIENT =
      ProbeStreamOptions.DEFAULT.withResponseTime(Duration.ofHours(1));

  final LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);

  /** For several workers that write. */
  final ConcurrentPbPlusTree concurrent = ConcurrentPbPlusTree.create(IndexOptions.DEFAULT);

  final AnswerLog log = AnswerLog.open();

  @AfterEach
  final void closeIndexes() {
    concurrent.verify();
    concurrent.close();
    index.close();
  }

  /** Returns the index that so many workers may write. */
  final LongIndex writableBy(int workers) {
    return workers == 1 ? index : concurrent;
  }

  /** Keys are even, values three times as large. */
  final void fill(int entries) {
    for (long key = 0; key < 2L * entries; key += 2) {
      index.put(key, 3 * key);
      concurrent.put(key, 3 * key);
    }
  }
}
