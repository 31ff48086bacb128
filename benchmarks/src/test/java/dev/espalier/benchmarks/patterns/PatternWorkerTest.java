// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.benchmarks.patterns.PatternWorker.Figure;
import dev.espalier.benchmarks.peer.IndexPeer;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.patterns.MapTarget;
import dev.espalier.patterns.Pattern;
import dev.espalier.patterns.PatternRun;
import dev.espalier.patterns.PatternTarget;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PatternWorkerTest {
  private static final int SIZE = 400;
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private static final List<Supplier<PatternTarget>> TARGETS =
      List.of(
          BytesMapTarget::new,
          () -> new BytesTarget(PrefixBPlusTree.create()),
          () -> new PeerTarget(new IndexPeer(PbPlusTree.VARIANT::create)),
          () -> Form.FILES.structures().get("DiskFirstFpbPlusTree").get());

  @ParameterizedTest
  @EnumSource
  @Tag("thorough")
  void everyTargetFindsTheSameAfterAPattern(Pattern pattern) {
    List<Long> expected = found(new MapTarget(), pattern);
    for (Supplier<PatternTarget> target : TARGETS) {
      assertEquals(expected, found(target.get(), pattern));
    }
  }

  /** Returns what scans find after each of some steps, and at the end from some keys on. */
  private static List<Long> found(PatternTarget target, Pattern pattern) {
    try (target) {
      PatternRun run = pattern.begin(target, SIZE, 5);
      run.prepare();
      List<Long> found = new ArrayList<>();
      int more = 1;
      for (int i = 0; i < SIZE && more > 0; i++) {
        more = run.step();
        found.add(target.first());
        found.add(target.scan(i, 3));
      }
      found.add(target.scan(Long.MIN_VALUE, Integer.MAX_VALUE));
      return found;
    }
  }

  @Test
  void operationsAreAllDoneOrThoseOfTheTime() {
    Figure all = new PatternWorker(MapTarget::new, SIZE, HOUR).measure(Pattern.QUEUE, 1);
    assertEquals(SIZE, all.operations());
    assertTrue(all.nanos() > 0, all.toString());
    assertEquals(all, Figure.parse(all.toString()));
    // The time is over when the first step has been done.
    Figure one = new PatternWorker(MapTarget::new, SIZE, 1).measure(Pattern.QUEUE, 1);
    assertEquals(1, one.operations());
  }

  @Test
  void drainEndsWhenNothingIsLeft() {
    Figure all = new PatternWorker(MapTarget::new, SIZE, HOUR).measure(Pattern.DRAIN, 1);
    assertEquals(SIZE, all.operations());
  }
}
