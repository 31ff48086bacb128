// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Entries;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class BuiltIndexTest {
  private static final int KEYS = Table2.LEAST_KEYS;
  private static final Placement PLACEMENT = Placement.forCache(Pentium4.SHAPE.l2().bytes());

  @ParameterizedTest
  @EnumSource(names = {"B_PLUS_TREE", "CSB_PLUS_TREE"})
  void everyMethodFindsTheSame(PaperIndex kind) {
    try (BuiltIndex index = kind.build(KEYS, new ProbeKeys(KEYS), PLACEMENT)) {
      for (Method method : Method.values()) {
        ProbeSetting setting = new ProbeSetting(kind, method);
        try (Probing probing = index.prepare(setting)) {
          assertEquals(index.answer(setting), probing.run(), setting.toString());
          assertEquals(index.answer(setting), probing.run(), setting + ", again");
        }
      }
    }
  }

  @Test
  void queryOfTheRTreeOverlapsOneRectangleOnAverage() {
    ProbeSetting setting = new ProbeSetting(PaperIndex.R_TREE, Method.VARIABLE);
    try (BuiltIndex index = PaperIndex.R_TREE.build(KEYS, new ProbeKeys(KEYS), PLACEMENT);
        Probing probing = index.prepare(setting)) {
      long sum = probing.run();
      assertEquals(index.answer(setting), sum);
      assertEquals(1, (double) sum / Entries.sumOfValues(BuiltRTree.rectangles(KEYS)), 0.05);
    }
  }

  @Test
  void smallestBPlusTreeHasTheThreeLevelsOfThePaper() {
    try (LongIndex index = PaperIndex.B_PLUS_TREE.bulkloaded(KEYS)) {
      assertEquals(3, index.statistics().height());
    }
  }

  @Test
  void streamAnswersEachProbeOnceHoweverOftenItIsFlushed() {
    long[] probes = ProbeOrder.UNIFORM.probes(KEYS, 1000);
    try (LongIndex index = PaperIndex.B_PLUS_TREE.bulkloaded(KEYS);
        FlushedStream stream = new FlushedStream(index, KEYS, probes)) {
      for (long interval : new long[] {0, FlushedStream.NEVER}) {
        List<Long> seen = new ArrayList<>();
        long sum = stream.run(interval, (_, answers) -> seen.add(answers));
        assertEquals(Entries.sumOfRanks(probes), sum);
        assertEquals(probes.length, seen.getLast());
        assertEquals(interval == 0, seen.contains((long) FlushedStream.STEP));
        assertTrue(seen.size() > probes.length / FlushedStream.STEP);
      }
    }
  }
}
