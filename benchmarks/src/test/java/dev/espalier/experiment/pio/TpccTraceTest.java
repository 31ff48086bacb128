// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongEntrySource;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TpccTraceTest {
  private final TpccData data = new TpccData(2, 1);

  private final NavigableSet<Long> entries = new TreeSet<>();

  private long searches;
  private long inserts;
  private long deletes;
  private long ranges;

  private void load() {
    LongEntrySource source = data.entries();
    long before = Long.MIN_VALUE;
    while (source.next()) {
      assertTrue(source.key() > before, "entries ascend");
      before = source.key();
      entries.add(source.key());
    }
  }

  private final class Checked implements TpccTrace.Operations {
    @Override
    public void search(long key) {
      assertTrue(entries.contains(key), () -> Long.toHexString(key));
      searches++;
    }

    @Override
    public void insert(long key) {
      assertTrue(entries.add(key), () -> Long.toHexString(key));
      inserts++;
    }

    @Override
    public void delete(long key) {
      assertTrue(entries.remove(key), () -> Long.toHexString(key));
      deletes++;
    }

    @Override
    public void range(long from, long to) {
      assertFalse(entries.subSet(from, true, to, true).isEmpty(), () -> Long.toHexString(from));
      ranges++;
    }
  }

  @Test
  void whatIsSoughtIsThereAndWhatIsInsertedIsNew() {
    load();
    TpccTrace trace = new TpccTrace(data, 2, new Checked());
    for (int i = 0; i < 20_000; i++) {
      trace.transaction();
    }
    double all = searches + inserts + deletes + ranges;
    // The paper's trace: 71.5, 23.8, 1 and 3.7 percent.
    assertEquals(0.715, searches / all, 0.02);
    assertEquals(0.238, inserts / all, 0.03);
    assertEquals(0.010, deletes / all, 0.01);
    assertEquals(0.037, ranges / all, 0.015);
  }

  @Test
  void aWarehouseHasAsManyEntriesAsTheSpecificationSays() {
    load();
    int fixed = 1 + 10 + 2 * 30_000 + 9_000 + 2 * 30_000 + 100_000;
    double lines = (entries.size() - TpccData.ITEMS) / 2.0 - fixed;
    assertEquals(10, lines / 30_000, 0.1, "lines of an order");
  }

  @Test
  void aTraceIsThatOfItsSeed() {
    assertEquals(keys(3), keys(3));
    assertFalse(keys(3).equals(keys(4)));
  }

  private Set<Long> keys(long seed) {
    Set<Long> keys = new HashSet<>();
    TpccTrace trace =
        new TpccTrace(
            data,
            seed,
            new TpccTrace.Operations() {
              @Override
              public void search(long key) {
                keys.add(key);
              }

              @Override
              public void insert(long key) {
                keys.add(key);
              }

              @Override
              public void delete(long key) {
                keys.add(key);
              }

              @Override
              public void range(long from, long to) {
                keys.add(from);
              }
            });
    for (int i = 0; i < 100; i++) {
      trace.transaction();
    }
    return keys;
  }
}
