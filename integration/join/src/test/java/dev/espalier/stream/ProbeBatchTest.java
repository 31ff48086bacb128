// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class ProbeBatchTest {
  private final ProbeBatch batch = new ProbeBatch(10);

  @Test
  void probesOfOneKindAndTimeAreOneRun() {
    batch.add(Kind.GET, 1, 0, 1, 100);
    batch.add(Kind.GET, 2, 0, 2, 110);
    batch.add(Kind.GET, 3, 0, 3, 111);
    batch.add(Kind.PUT, 4, 5, 0, 112);
    batch.addGets(new long[] {7, 8, 9}, new long[] {4, 5, 6}, 1, 2, 113);
    assertEquals(4, batch.runs());
    assertEquals(100, batch.time(0));
    assertEquals(2, batch.end(0));
    assertEquals(111, batch.time(1));
    assertEquals(Kind.PUT, batch.kind(2));
    assertEquals(5, batch.operand(3));
    assertEquals(6, batch.end(3));
    assertEquals(9, batch.key(5));
    assertEquals(6, batch.tag(5));
  }

  @Test
  void batchGrowsAndIsUsedAgain() {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 1000; i++) {
        batch.add(i % 2 == 0 ? Kind.GET : Kind.DELETE, i, 0, i, i);
      }
      batch.addGets(new long[5000], new long[5000], 0, 5000, 1000);
      assertEquals(6000, batch.count());
      assertEquals(1001, batch.runs());
      assertEquals(999, batch.key(999));
      assertEquals(Kind.DELETE, batch.kind(999));
      batch.clear();
    }
    assertEquals(0, batch.count());
    assertEquals(0, batch.runs());
  }
}
