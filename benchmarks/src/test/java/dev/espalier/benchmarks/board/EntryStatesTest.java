// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What reads may find. */
final class EntryStatesTest {
  private static final long ENTRY = 3;

  private final EntryStates states = new EntryStates(10);

  EntryStatesTest() {
    states.load(5);
  }

  /** Returns the versions that a read may find now, 0 for none. */
  private List<Integer> possible(long before) {
    long after = states.state(ENTRY);
    return IntStream.range(0, 10)
        .filter(
            version ->
                EntryStates.isPossible(
                    ENTRY, before, after, version == 0 ? Word.ABSENT : Word.of(ENTRY, version)))
        .boxed()
        .toList();
  }

  private List<Integer> possible() {
    return possible(states.state(ENTRY));
  }

  @Test
  void onlyTheLastVersionIsPossibleWhenNobodyWrites() {
    assertEquals(List.of(1), possible());
    states.begin(ENTRY);
    assertEquals(List.of(1, 2), possible());
    states.end(ENTRY);
    assertEquals(List.of(2), possible());
  }

  @Test
  void readBesideWritesMayFindWhatWasThereAtItsBeginningOrBegunAtItsEnd() {
    long before = states.state(ENTRY);
    for (int i = 0; i < 3; i++) {
      states.begin(ENTRY);
      states.end(ENTRY);
    }
    assertEquals(List.of(1, 2, 3, 4), possible(before));
    assertEquals(List.of(4), possible());
  }

  @Test
  void anyOfOverlappingWritesMayHaveBeenTheLast() {
    assertEquals(Word.of(ENTRY, 2), states.begin(ENTRY));
    assertEquals(Word.of(ENTRY, 3), states.begin(ENTRY));
    states.end(ENTRY);
    assertEquals(List.of(1, 2, 3), possible());
    states.end(ENTRY);
    assertEquals(List.of(2, 3), possible());
    states.begin(ENTRY);
    assertEquals(List.of(2, 3, 4), possible());
    states.end(ENTRY);
    assertEquals(List.of(4), possible());
  }

  @Test
  void valuesOfOtherEntriesAreNeverPossible() {
    long state = states.state(ENTRY);
    assertEquals(false, EntryStates.isPossible(ENTRY, state, state, Word.of(ENTRY + 1, 1)));
    assertEquals(false, EntryStates.isPossible(ENTRY, state, state, Word.TORN));
  }

  @Test
  void removedEntryMayNotComeBack() {
    states.beginRemoval(ENTRY);
    assertEquals(List.of(0, 1), possible().subList(0, 2));
    states.end(ENTRY);
    assertEquals(List.of(0), possible());
    assertThrows(IllegalStateException.class, () -> states.begin(ENTRY));
  }

  @Test
  void newEntriesCountOnceAllBeforeThemAreThere() {
    long first = states.take();
    long second = states.take();
    assertEquals(List.of(5L, 6L), List.of(first, second));
    states.begin(second);
    states.end(second);
    states.acknowledge();
    assertEquals(5, states.count());
    states.begin(first);
    states.end(first);
    states.acknowledge();
    assertEquals(7, states.count());
  }

  @Test
  void thousandsOfOverlappingWritesRaiseNoFalseAlarm() {
    for (int round = 0; round < 5; round++) {
      states.begin(ENTRY);
      for (int i = 0; i < 10_000; i++) {
        states.begin(ENTRY);
        states.end(ENTRY);
      }
      long state = states.state(ENTRY);
      assertEquals(true, EntryStates.isPossible(ENTRY, state, state, Word.of(ENTRY, 1)));
      states.end(ENTRY);
    }
    long last = states.begin(ENTRY);
    states.end(ENTRY);
    long state = states.state(ENTRY);
    assertEquals(true, EntryStates.isPossible(ENTRY, state, state, last));
    assertEquals(false, EntryStates.isPossible(ENTRY, state, state, last - 1));
  }
}
