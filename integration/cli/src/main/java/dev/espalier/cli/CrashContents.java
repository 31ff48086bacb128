// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Arrays;
import java.util.List;

/** The entries of both indexes of a crash test, as the plan says or as a store has them. */
final class CrashContents {
  /** Not among the values of a plan. */
  private static final long ABSENT = Long.MIN_VALUE;

  private final long[][] values = new long[CrashPlan.INDEXES][CrashPlan.KEYS];

  /** Makes empty indexes. */
  CrashContents() {
    for (long[] index : values) {
      Arrays.fill(index, ABSENT);
    }
  }

  CrashContents copy() {
    CrashContents copy = new CrashContents();
    for (int i = 0; i < values.length; i++) {
      copy.values[i] = values[i].clone();
    }
    return copy;
  }

  void apply(CrashPlan.Write write) {
    values[write.index()][write.slot()] = write.isDelete() ? ABSENT : write.value();
  }

  void apply(CrashPlan.Step step) {
    step.singles().forEach(this::apply);
    step.batch().forEach(this::apply);
  }

  /**
   * Returns which is nearest to what was found: these entries, or these after the first of some
   * writes that may have been made.
   */
  CrashContents nearestTo(CrashContents found, List<CrashPlan.Write> mayFollow) {
    CrashContents nearest = this;
    CrashContents more = copy();
    for (CrashPlan.Write write : mayFollow) {
      more.apply(write);
      if (more.differences(found) < nearest.differences(found)) {
        nearest = more.copy();
      }
    }
    return nearest;
  }

  private long differences(CrashContents other) {
    long differences = 0;
    for (int index = 0; index < CrashPlan.INDEXES; index++) {
      for (int slot = 0; slot < CrashPlan.KEYS; slot++) {
        differences += values[index][slot] == other.values[index][slot] ? 0 : 1;
      }
    }
    return differences;
  }

  boolean isSameAs(CrashContents other) {
    return Arrays.deepEquals(values, other.values);
  }

  /** Returns the first key that differs, and how, for a message. */
  String difference(CrashContents found) {
    for (int index = 0; index < CrashPlan.INDEXES; index++) {
      int slot = Arrays.mismatch(values[index], found.values[index]);
      if (slot >= 0) {
        long key = new CrashPlan.Write(index, slot, false, 0).key();
        return "key %d of index %d has %s, but the plan says %s"
            .formatted(key, index, text(found.values[index][slot]), text(values[index][slot]));
      }
    }
    return "no difference";
  }

  private static String text(long value) {
    return value == ABSENT ? "no value" : "the value " + value;
  }

  /**
   * Takes all entries of an index.
   *
   * @return what is there that no plan writes, or an empty string
   */
  String read(int number, CrashIndex index) {
    String[] invented = {""};
    index.forEach(
        (key, value) -> {
          int slot = CrashPlan.slot(key);
          if (slot >= 0) {
            values[number][slot] = value;
          } else if (key != CrashPlan.MARKER) {
            invented[0] = "key %d of index %d was never written".formatted(key, number);
          }
        });
    return invented[0];
  }
}
