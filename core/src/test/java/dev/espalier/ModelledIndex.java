// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.HugePages;
import java.util.Arrays;
import java.util.List;

/** An index, the model that it must equal, and cursors over both that stay open throughout. */
final class ModelledIndex {
  /** How many cursors are open. */
  static final int CURSORS = 4;

  private final String name;
  private final LongIndex index;
  private final ModelIndex model;
  private final List<CursorPair> cursors;

  private record CursorPair(LongCursor actual, LongCursor expected) {}

  /** Fills the empty {@code index} and its model; opens cursors on the whole and on views. */
  ModelledIndex(String name, LongIndex index, long[] keys, double fillFactor) {
    this.name = name;
    this.index = index;
    this.model =
        new ModelIndex(new IndexOptions(index.missingValue(), Long.MAX_VALUE, HugePages.OFF));
    long[] values = Arrays.stream(keys).map(key -> ~key).toArray();
    for (LongIndex each : List.of(index, model)) {
      each.bulkload(
          LongEntrySource.of(keys, values, keys.length),
          fillFactor,
          keys.length,
          ProgressListener.NONE);
    }
    this.cursors =
        List.of(
            pair(index.cursor(), model.cursor()),
            pair(index.cursor(), model.cursor()),
            pair(
                index.subView(-5, true, 200, false).cursor(),
                model.subView(-5, true, 200, false).cursor()),
            pair(index.descendingView().cursor(), model.descendingView().cursor()));
  }

  /** Asks index and model, and compares. */
  void run(Operation<LongNavigable> operation, Narrowing... narrowings) {
    LongNavigable actual = index;
    LongNavigable expected = model;
    for (Narrowing narrowing : narrowings) {
      Operation<LongNavigable> step = Operation.of("narrow", narrowing::of);
      Object narrower = step.outcomeOn(expected);
      Object actualNarrower = step.outcomeOn(actual);
      if (!(narrower instanceof LongNavigable expectedView)) {
        assertEquals(narrower, actualNarrower, narrowing::toString);
        return;
      }
      expected = expectedView;
      actual = assertInstanceOf(LongNavigable.class, actualNarrower, narrowing::toString);
    }
    assertEquals(operation.outcomeOn(expected), operation.outcomeOn(actual), operation::name);
  }

  /** Asks index and model, and compares. */
  void runOnIndex(Operation<LongIndex> operation) {
    assertEquals(operation.outcomeOn(model), operation.outcomeOn(index), operation::name);
  }

  private CursorPair pair(LongCursor actual, LongCursor expected) {
    return new CursorPair(
        actual, CopyingCursor.copies(index) ? new CopyingCursor(expected) : expected);
  }

  /** Asks one of the open cursors and its model, and compares. */
  void runOnCursor(int number, Operation<LongCursor> operation) {
    CursorPair pair = cursors.get(number);
    assertEquals(
        operation.outcomeOn(pair.expected), operation.outcomeOn(pair.actual), operation::name);
  }

  /** Checks a run against as many single steps of the model's cursor. */
  void runNextRun(int number) {
    CursorPair pair = cursors.get(number);
    LongRun run = new LongRun();
    if (!pair.actual.nextRun(run)) {
      assertFalse(pair.expected.next());
      return;
    }
    assertTrue(run.count() > 0);
    for (int i = 0; i < run.count(); i++) {
      assertTrue(pair.expected.next());
      assertEquals(pair.expected.key(), run.key(i));
      assertEquals(pair.expected.value(), run.value(i));
    }
  }

  /** Checks the structure, and that it holds what the model holds. */
  void verify() {
    index.verify();
    assertEquals(model.size(), index.size());
    LongCursor actual = index.cursor();
    LongCursor expected = model.cursor();
    while (expected.next()) {
      assertTrue(actual.next());
      assertEquals(expected.key(), actual.key());
      assertEquals(expected.value(), actual.value());
    }
    assertFalse(actual.next());
  }

  void close() {
    index.close();
  }

  @Override
  public String toString() {
    return name + " of " + index.size() + " entries";
  }
}
