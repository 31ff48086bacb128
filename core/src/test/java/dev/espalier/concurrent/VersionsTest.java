// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first word of a node: who is at it, and that it is never twice the same. */
@Tag("fallback-exhaustive")
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionsTest {
  private static final long NODE = CacheLine.BYTES;
  private static final long COUNTER = 2 * CacheLine.BYTES;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment nodes = arena.allocate(4L * CacheLine.BYTES, CacheLine.BYTES);

  @AfterEach
  void free() {
    arena.close();
  }

  private long word() {
    return Versions.read(nodes, NODE);
  }

  /** Sees to it that the version has grown since. */
  private long newer(long before) {
    long word = word();
    assertTrue(word >>> 3 > before >>> 3, word + " after " + before);
    return word;
  }

  private void assertCanBeLatchedByOthers(boolean can) {
    assertEquals(can, Versions.tryLatch(nodes, NODE, word()));
    if (can) {
      Versions.unlatch(nodes, NODE);
    }
  }

  @Test
  void aLatchIsOfOneAndGivenBackMakesTheVersionGrow() {
    long before = word();
    assertTrue(Versions.isAtRest(before));
    assertTrue(Versions.isReadable(before));
    assertTrue(Versions.tryLatch(nodes, NODE, before));
    long latched = word();
    assertFalse(Versions.isAtRest(latched));
    assertTrue(Versions.isReadable(latched));
    assertEquals(before >>> 3, latched >>> 3);
    assertCanBeLatchedByOthers(false);
    assertFalse(Versions.tryLatch(nodes, NODE, before));
    Versions.unlatch(nodes, NODE);
    long after = newer(before);
    assertTrue(Versions.isAtRest(after));
    assertFalse(Versions.tryLatch(nodes, NODE, before)); // It has changed since.
    assertTrue(Versions.latch(nodes, NODE));
    Versions.unlatch(nodes, NODE);
    newer(after);
  }

  @Test
  void readersAreKeptOffWhileBytesChange() {
    assertTrue(Versions.latch(nodes, NODE));
    long before = word();
    Versions.beginChange(nodes, NODE);
    assertFalse(Versions.isReadable(word()));
    assertFalse(Versions.isAtRest(word()));
    assertFalse(Versions.isStill(nodes, NODE, before));
    Versions.endChange(nodes, NODE);
    long changed = newer(before);
    assertTrue(Versions.isReadable(changed));
    assertFalse(Versions.isAtRest(changed)); // It is latched still.
    assertCanBeLatchedByOthers(false);
    Versions.beginChange(nodes, NODE);
    Versions.unlatch(nodes, NODE); // Which ends the change as well.
    assertTrue(Versions.isAtRest(newer(changed)));
    assertFalse(Versions.isStill(nodes, NODE, changed));
    assertTrue(Versions.isStill(nodes, NODE, word()));
    assertTrue(Versions.is(nodes, NODE, word()));
    assertFalse(Versions.is(nodes, NODE, changed));
  }

  @Test
  void aNodeThatIsGoneIsNeitherReadNorLatchedUntilItIsUsedAgain() {
    assertTrue(Versions.latch(nodes, NODE));
    long before = word();
    Versions.retire(nodes, NODE);
    long gone = newer(before);
    assertFalse(Versions.isReadable(gone));
    assertFalse(Versions.isAtRest(gone));
    assertFalse(Versions.latch(nodes, NODE));
    assertEquals(gone, word());
    Versions.reuse(nodes, NODE);
    long again = newer(gone);
    assertTrue(Versions.isReadable(again));
    assertCanBeLatchedByOthers(false);
    Versions.unlatch(nodes, NODE);
    assertTrue(Versions.isAtRest(newer(again)));
  }

  @Test
  void aNewNodeIsLatchedAndHasAVersion() {
    Words.putLong(nodes, NODE, -1);
    Versions.begin(nodes, NODE);
    assertTrue(Versions.isReadable(word()));
    assertCanBeLatchedByOthers(false);
    long before = word();
    Versions.unlatch(nodes, NODE);
    assertTrue(Versions.isAtRest(newer(before)));
  }

  @Test
  void whoeverWantsALatchWaitsForIt() throws InterruptedException {
    assertTrue(Versions.latch(nodes, NODE));
    AtomicBoolean isLatched = new AtomicBoolean();
    Thread other = Thread.ofPlatform().start(() -> isLatched.set(Versions.latch(nodes, NODE)));
    while (other.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(other.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    assertFalse(isLatched.get());
    Versions.unlatch(nodes, NODE);
    other.join();
    assertTrue(isLatched.get());
  }

  @Test
  void changesAreCountedWhileTheyAreUnderWayAndAfter() {
    long none = Words.getLong(nodes, COUNTER);
    assertTrue(Versions.noneSince(nodes, COUNTER, none));
    Versions.countBegin(nodes, COUNTER);
    assertFalse(Versions.noneSince(nodes, COUNTER, none));
    long one = Words.getLong(nodes, COUNTER);
    assertFalse(Versions.noneSince(nodes, COUNTER, one));
    Versions.countBegin(nodes, COUNTER);
    Versions.countEnd(nodes, COUNTER);
    assertFalse(Versions.noneSince(nodes, COUNTER, Words.getLong(nodes, COUNTER)));
    Versions.countEnd(nodes, COUNTER);
    long both = Words.getLong(nodes, COUNTER);
    assertTrue(Versions.noneSince(nodes, COUNTER, both));
    assertFalse(Versions.noneSince(nodes, COUNTER, none));
    assertFalse(Versions.noneSince(nodes, COUNTER, one));
  }
}
