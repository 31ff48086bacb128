// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One thread sees all of it: where it would wait for ever, it is told that the index is closed. */
class LatchesTest {
  private final Latches closed = new Latches(() -> true);

  /** How often somebody who waited has asked whether the index is closed. */
  private final AtomicInteger waits = new AtomicInteger();

  private void assertLatched(int page) {
    IllegalStateException thrown =
        assertThrows(IllegalStateException.class, () -> closed.latch(page));
    assertEquals("the index is closed", thrown.getMessage());
  }

  @Test
  void aLatchHasOneHolder() {
    closed.latch(7);
    assertLatched(7);
    closed.unlatch(7);
    closed.latch(7);
    assertLatched(7);
  }

  @Test
  void readersDoNotSeeALatch() {
    long version = closed.version(7);
    closed.latch(7);
    assertEquals(version, closed.version(7));
    assertTrue(closed.isStill(7, version));
    closed.unlatch(7);
    assertEquals(version, closed.version(7));
    assertTrue(closed.isStill(7, version));
  }

  @Test
  void aChangeIsSeenFromItsBeginningOnAndTheLatchOutlivesIt() {
    long before = closed.version(7);
    closed.latch(7);
    closed.beginChange(7);
    assertFalse(closed.isStill(7, before));
    assertThrows(IllegalStateException.class, () -> closed.version(7));
    closed.endChange(7);
    assertFalse(closed.isStill(7, before));
    long after = closed.version(7);
    assertTrue(closed.isStill(7, after));
    assertLatched(7);
    closed.unlatch(7);
    assertEquals(after, closed.version(7));
    assertTrue(closed.isStill(7, after));
  }

  @Test
  void everyChangeMakesAVersionThatNeverWas() {
    long last = closed.version(7);
    for (int i = 0; i < 100; i++) {
      closed.latch(7);
      closed.beginChange(7);
      closed.endChange(7);
      closed.unlatch(7);
      long next = closed.version(7);
      assertTrue(next > last, next + " after " + last);
      last = next;
    }
  }

  /** Also of pages in chunks that come later, before others, and far behind all. */
  @Test
  void pagesHaveWordsOfTheirOwn() {
    int[] pages = {1 << 20, 0, 1, 1022, 1023, 1024, 1025, 2047, 2048, (1 << 20) - 1, 5 << 20};
    for (int page : pages) {
      closed.latch(page);
    }
    for (int page : pages) {
      assertLatched(page);
    }
    for (int page : pages) {
      long version = closed.version(page);
      closed.beginChange(page);
      closed.endChange(page);
      assertNotEquals(version, closed.version(page));
      closed.unlatch(page);
    }
    for (int page : pages) {
      assertEquals(closed.version(0), closed.version(page));
      closed.latch(page);
    }
  }

  @Test
  void aWriterTakesTheLatchOnceItIsGivenBack() {
    Latches[] latches = new Latches[1];
    latches[0] =
        new Latches(
            () -> {
              if (waits.incrementAndGet() == 3) {
                latches[0].unlatch(7);
              }
              return waits.get() > 3;
            });
    latches[0].latch(7);
    latches[0].latch(7);
    assertEquals(3, waits.get());
    assertThrows(IllegalStateException.class, () -> latches[0].latch(7));
  }

  @Test
  void aReaderHasTheVersionOnceTheChangeHasEnded() {
    Latches[] latches = new Latches[1];
    latches[0] =
        new Latches(
            () -> {
              if (waits.incrementAndGet() == 3) {
                latches[0].endChange(7);
              }
              return waits.get() > 3;
            });
    long before = latches[0].version(7);
    latches[0].latch(7);
    latches[0].beginChange(7);
    assertTrue(latches[0].version(7) > before);
    assertEquals(3, waits.get());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 255})
  void firstTriesAskNobody(int tries) {
    Latches.pause(
        tries,
        () -> {
          throw new AssertionError("asked");
        });
  }

  @Test
  void laterTriesAskWhetherTheIndexIsClosed() {
    assertThrows(IllegalStateException.class, () -> Latches.pause(256, () -> true));
    Latches.pause(256, () -> waits.incrementAndGet() > 1);
    assertEquals(1, waits.get());
  }
}
