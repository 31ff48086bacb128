// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static dev.espalier.arrow.LongLookupTest.assertMessage;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.JoinType;
import dev.espalier.join.ResidualPredicate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ColumnJoinTest {
  @ParameterizedTest
  @EnumSource
  void joinsAsNestedLoopsDo(JoinType type) {
    Random random = new Random(7);
    ResidualPredicate evenRows = (key, row, value) -> row % 2 == 0;
    for (ResidualPredicate residual : new ResidualPredicate[] {null, evenRows}) {
      try (LongIndex index = Indexes.create()) {
        TreeMap<Long, Long> model = new TreeMap<>();
        model.put(TestColumns.GARBAGE, 33L);
        model.put(4L, index.missingValue());
        for (long i = 0; i < 300; i++) {
          model.put((long) random.nextInt(1000), i);
        }
        model.forEach(index::set);
        JoinOptions options =
            JoinOptions.DEFAULT.withType(type).withBatchSize(37).withResidual(residual);
        try (ColumnJoin join = new ColumnJoin(index, options)) {
          for (int round = 0; round < 50; round++) {
            List<@Nullable Long> keys = new ArrayList<>();
            for (int i = random.nextInt(200); i > 0; i--) {
              keys.add(random.nextInt(5) == 0 ? null : (long) random.nextInt(1000));
            }
            expectJoin(join, type, residual, model, keys, random);
          }
        }
      }
    }
  }

  private static void expectJoin(
      ColumnJoin join,
      JoinType type,
      @Nullable ResidualPredicate residual,
      TreeMap<Long, Long> model,
      List<@Nullable Long> keys,
      Random random) {
    List<@Nullable Long> expectedRows = new ArrayList<>();
    List<@Nullable Long> expectedValues = new ArrayList<>();
    for (int row = 0; row < keys.size(); row++) {
      Long key = keys.get(row);
      Long value = key == null ? null : model.get(key);
      if (value != null && residual != null && !residual.test(key, row, value)) {
        value = null;
      }
      boolean isOut = type == JoinType.LEFT || (value != null) != (type == JoinType.ANTI);
      if (isOut) {
        expectedRows.add((long) row);
        expectedValues.add(value);
      }
    }
    List<@Nullable Long> nulls = Collections.nCopies(keys.size() + 1, null);
    LongColumn rows = TestColumns.longs(nulls, random.nextInt(70));
    LongColumn values = TestColumns.longs(nulls, random.nextInt(70));
    long count = join.join(TestColumns.longs(keys, random.nextInt(70)), rows, values);
    assertEquals(expectedRows, TestColumns.read(rows, count));
    if (type.hasInnerValues()) {
      assertEquals(expectedValues, TestColumns.read(values, count));
    }
  }

  @Test
  void saysWhatIsWrongWithOutputs() {
    LongColumn two = TestColumns.longs(List.of(1L, 2L), 0);
    LongColumn one = TestColumns.longs(List.of(1L), 0);
    try (LongIndex index = Indexes.create();
        ColumnJoin join = new ColumnJoin(index, JoinOptions.DEFAULT)) {
      assertMessage("rows has 1 rows", () -> join.join(two, one, two));
      assertMessage("values has 1 rows", () -> join.join(two, two, one));
      LongColumn bare = LongColumn.withoutNulls(two.values(), 2);
      assertMessage("values has no validity bits", () -> join.join(two, bare, bare));
      LongColumn readOnly = LongColumn.withoutNulls(two.values().asReadOnly(), 2);
      assertMessage("rows is read-only", () -> join.join(two, readOnly, two));
    }
  }

  @Test
  void aClosedJoinSaysSo() {
    LongColumn two = TestColumns.longs(List.of(1L, 2L), 0);
    try (LongIndex index = Indexes.create()) {
      ColumnJoin join = new ColumnJoin(index, JoinOptions.DEFAULT);
      join.close();
      assertThrows(IllegalStateException.class, () -> join.join(two, two, two));
    }
  }
}
