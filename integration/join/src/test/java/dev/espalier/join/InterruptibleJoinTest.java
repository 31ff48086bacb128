// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.InterruptibleCalls;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Nothing in this module depends on the interrupt status but in the named places. */
final class InterruptibleJoinTest {
  /** These wait until the end, however often they are interrupted. */
  private static final Set<String> UNINTERRUPTIBLE_WAITS =
      Set.of(
          "dev.espalier.join.JoinCrew: Thread.join",
          "dev.espalier.stream.ProbeStream: Thread.join",
          "dev.espalier.stream.StreamCrew: Future.get");

  /** A full stream, and one that is flushed, may be waited for no longer: callers are told so. */
  private static final String ROOM_AND_ANSWERS = "dev.espalier.stream.Handover: Condition.await";

  /** A thread of a stream's own, which clears its status. */
  private static final String OWN_THREAD = "dev.espalier.stream.Ticker: Condition.awaitNanos";

  /** Ends the threads of a crew when they have nothing to do. */
  private static final String IDLE_THREADS =
      "dev.espalier.stream.StreamCrew: ExecutorService.close";

  @Test
  void nothingWaitsInterruptiblyButInNamedPlaces() throws Exception {
    Set<String> named = new TreeSet<>(UNINTERRUPTIBLE_WAITS);
    named.add(ROOM_AND_ANSWERS);
    named.add(OWN_THREAD);
    named.add(IDLE_THREADS);
    assertEquals(named, InterruptibleCalls.inModuleOf(ParallelJoin.class));
  }
}
