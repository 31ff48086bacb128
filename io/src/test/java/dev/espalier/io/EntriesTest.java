// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntriesTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 16, 17, 32_767, 32_768, 32_769, 100_000})
  void entriesAreKeptInOrderAlsoWhenTheListIsFilledAgain(int count) {
    Entries entries = new Entries();
    for (int round = 1; round <= 2; round++) {
      for (int i = 0; i < count; i++) {
        entries.add((long) i * round, -i);
      }
      assertEquals(count, entries.count());
      for (int i = 0; i < count; i++) {
        assertEquals((long) i * round, entries.key(i));
        assertEquals(-i, entries.value(i));
      }
      entries.clear();
      assertEquals(0, entries.count());
    }
  }
}
