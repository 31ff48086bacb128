// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The places of records in a log's buffer. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogPlacesTest {
  private static final int BYTES = 48;

  private final LogPlaces places = new LogPlaces();

  private long takeOne(int bytes) {
    int filler = places.enter();
    assertNotEquals(LogPlaces.OUT, filler);
    try {
      return places.take(bytes);
    } finally {
      places.leave(filler);
    }
  }

  @Test
  void placesFollowOneAnotherUntilTooFewBytesAreLeft() {
    places.open(100);
    assertTrue(places.has(100));
    assertFalse(places.has(101));
    long first = takeOne(BYTES);
    assertEquals(0, LogPlaces.records(first));
    assertEquals(100, LogPlaces.left(first));
    long second = takeOne(BYTES);
    assertEquals(1, LogPlaces.records(second));
    assertEquals(52, LogPlaces.left(second));
    assertEquals(LogPlaces.NONE, takeOne(BYTES));
    long third = takeOne(4); // What could not be had was given back.
    assertEquals(2, LogPlaces.records(third));
    assertEquals(4, LogPlaces.left(third));
    places.close();
    assertEquals(3, LogPlaces.records(places.taken()));
    assertEquals(0, LogPlaces.left(places.taken()));
  }

  @Test
  void closedPlacesAreNotTaken() {
    assertEquals(LogPlaces.OUT, places.enter());
    assertFalse(places.has(0));
    places.open(100);
    int filler = places.enter(); // And then they are closed, before it takes one.
    Thread closing = Thread.ofPlatform().start(places::close);
    while (places.areOpen()) {
      Thread.onSpinWait();
    }
    assertEquals(LogPlaces.NONE, places.take(BYTES));
    assertEquals(LogPlaces.OUT, places.enter());
    assertFalse(places.has(0));
    places.leave(filler);
    assertEquals(100, LogPlaces.left(places.taken()));
  }

  @Test
  void noMoreThreadsFillThanThereAreWordsFor() {
    places.open(100);
    for (int i = 0; i < places.fillers(); i++) {
      assertNotEquals(LogPlaces.OUT, places.enter());
    }
    assertEquals(LogPlaces.OUT, places.enter());
    places.leave(1);
    assertEquals(1, places.enter());
  }

  /** Whoever closes waits for each that fills, whichever word it has. */
  @Test
  void closingWaitsForThoseThatFill() throws InterruptedException {
    for (int filling = 0; filling < places.fillers(); filling++) {
      places.open(100);
      int[] entered = new int[places.fillers()];
      for (int i = 0; i < entered.length; i++) {
        entered[i] = places.enter();
      }
      assertNotEquals(LogPlaces.NONE, places.take(BYTES));
      for (int filler : entered) {
        if (filler != filling) {
          places.leave(filler);
        }
      }
      AtomicBoolean isClosed = new AtomicBoolean();
      Thread closing =
          Thread.ofPlatform()
              .start(
                  () -> {
                    places.close();
                    isClosed.set(true);
                  });
      while (closing.getState() != Thread.State.TIMED_WAITING) {
        assertTrue(closing.isAlive(), "closing did not wait");
        Thread.onSpinWait();
      }
      assertEquals(LogPlaces.NONE, places.take(BYTES));
      assertFalse(isClosed.get());
      places.leave(filling);
      closing.join();
      assertTrue(isClosed.get());
    }
  }

  /** Counts what a thread changes without a lock, while another closes and opens again. */
  @Test
  void nothingIsFilledWhilePlacesAreClosedAndNoPlaceIsGivenTwice() throws InterruptedException {
    int rounds = TestSize.isExhaustive() ? 20_000 : 200;
    int records = 20;
    int threads = 3;
    int[] filled = new int[records * BYTES]; // Plain: the places must keep threads apart.
    AtomicBoolean goOn = new AtomicBoolean(true);
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(Thread.ofPlatform().start(() -> fillUntil(goOn, filled)));
    }
    int most = 0;
    for (int round = 0; round < rounds; round++) {
      places.open(filled.length);
      if (round % 4 == 0) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
      places.close();
      int taken = LogPlaces.records(places.taken());
      most = Math.max(most, taken);
      int end = filled.length - LogPlaces.left(places.taken());
      if (end != taken * BYTES) {
        wrong.add("%d records took %d bytes".formatted(taken, end));
      }
      for (int at = 0; at < filled.length; at++) {
        if (filled[at] != (at < end ? 1 : 0)) {
          wrong.add("byte %d of %d was filled %d times".formatted(at, end, filled[at]));
          break;
        }
        filled[at] = 0;
      }
    }
    goOn.set(false);
    for (Thread thread : all) {
      thread.join();
    }
    assertEquals(List.of(), List.copyOf(wrong));
    assertTrue(most > 1, "never was more than one place taken");
  }

  private void fillUntil(AtomicBoolean goOn, int[] filled) {
    while (goOn.get()) {
      int filler = places.enter();
      if (filler == LogPlaces.OUT) {
        Thread.yield();
        continue;
      }
      long taken = places.take(BYTES);
      if (taken != LogPlaces.NONE) {
        int from = filled.length - LogPlaces.left(taken);
        for (int at = from; at < from + BYTES; at++) {
          filled[at]++;
        }
      }
      places.leave(filler);
    }
  }
}
