// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that use a file, and the one that closes it. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GateTest {
  private final Gate gate = new Gate(SimulatedDisk.path("file"));
  private final AtomicInteger closings = new AtomicInteger();

  private Thread startClosing() {
    Thread closing = Thread.ofPlatform().start(() -> gate.close(closings::incrementAndGet));
    while (closing.getState() != Thread.State.WAITING) {
      assertTrue(closing.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    return closing;
  }

  private static boolean isRefused(Gate gate) throws InterruptedException {
    AtomicBoolean isRefused = new AtomicBoolean();
    Thread.ofPlatform()
        .start(
            () -> {
              try {
                gate.enter();
              } catch (IllegalStateException closed) {
                isRefused.set(true);
              }
            })
        .join();
    return isRefused.get();
  }

  @Test
  void closingWaitsForAllUsesAndRefusesOthers() throws InterruptedException {
    gate.enter();
    assertTrue(gate.tryEnter());
    Thread closing = startClosing();
    assertTrue(isRefused(gate));
    gate.enter(); // A use may contain others.
    assertEquals(0, closings.get());
    gate.leave();
    gate.leave();
    assertEquals(0, closings.get());
    gate.leave();
    closing.join();
    assertEquals(1, closings.get());
  }

  @Test
  void whatIsClosedIsClosedOnceAndNotUsed() throws InterruptedException {
    gate.close(closings::incrementAndGet);
    gate.close(closings::incrementAndGet);
    assertEquals(1, closings.get());
    IllegalStateException refused = assertThrows(IllegalStateException.class, gate::enter);
    assertEquals("the file is closed: /simulated/file", refused.getMessage());
    assertFalse(gate.tryEnter());
    Thread other = Thread.ofPlatform().start(() -> gate.close(closings::incrementAndGet));
    other.join(); // Nobody is within, and nobody has kept the lock.
    assertEquals(1, closings.get());
  }

  @Test
  void aUseThatWaitsForTheEndOfTheClosingIsTold() throws InterruptedException {
    gate.enter();
    Thread closing = startClosing();
    AtomicBoolean isWithin = new AtomicBoolean(true);
    Thread late = Thread.ofPlatform().start(() -> isWithin.set(gate.tryEnter()));
    while (late.getState() != Thread.State.WAITING) {
      assertTrue(late.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    gate.leave();
    closing.join();
    late.join();
    assertFalse(isWithin.get());
  }

  @Test
  void aFailedClosingIsNotTriedAgain() throws InterruptedException {
    assertThrows(
        IllegalStateException.class,
        () ->
            gate.close(
                () -> {
                  throw new IllegalStateException("says a test");
                }));
    Thread.ofPlatform().start(() -> gate.close(closings::incrementAndGet)).join();
    assertEquals(0, closings.get());
  }
}
