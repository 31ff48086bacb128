// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TreeVariant;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cola.Cola;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PatternTest {
  private static final int SIZE = 2_000;

  /** One tree that changes entries where they are, and one that writes messages. */
  @ParameterizedTest
  @EnumSource
  void patternLeavesTheSameInAnIndexAndInAMap(Pattern pattern) {
    try (MapTarget map = new MapTarget()) {
      int done = work(pattern, map);
      assertTrue(done >= SIZE || pattern == Pattern.DRAIN, "operations: " + done);
      for (TreeVariant tree : List.of(PbPlusTree.VARIANT, Cola.VARIANT)) {
        try (IndexTarget index = new IndexTarget(tree.create(IndexOptions.DEFAULT))) {
          assertEquals(done, work(pattern, index));
          assertEquals(map.map(), entries(index));
        }
      }
    }
  }

  private static int work(Pattern pattern, PatternTarget target) {
    PatternRun run = pattern.begin(target, SIZE, 3);
    run.prepare();
    int done = 0;
    int more = 1;
    while (more > 0 && done < SIZE) {
      more = run.step();
      done += more;
    }
    return done;
  }

  private static Map<Long, Long> entries(IndexTarget target) {
    Map<Long, Long> entries = new TreeMap<>();
    LongCursor cursor = target.index().cursor();
    while (cursor.next()) {
      entries.put(cursor.key(), cursor.value());
    }
    return entries;
  }
}
