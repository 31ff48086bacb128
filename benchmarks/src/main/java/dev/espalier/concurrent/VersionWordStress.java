// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;

/** The version word of one node, and copies of its scheme with a fault each. */
public final class VersionWordStress {
  private static final long NODE = StressNodes.FIRST;

  private VersionWordStress() {}

  /** One node with the content 1, which is changed to 2. */
  abstract static class OneNode {
    final MemorySegment nodes = StressNodes.memory();

    OneNode() {
      StressNodes.make(nodes, NODE, 1);
    }
  }

  /** A reader sees the node before the change or after it, or that it has to begin anew. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "before, after, or again")
  @Outcome(expect = FORBIDDEN, desc = "a node that never was")
  @State
  public static class ChangeOfANode extends OneNode {
    @Actor
    public void change() {
      Versions.latch(nodes, NODE);
      Versions.beginChange(nodes, NODE);
      StressNodes.fill(nodes, NODE, 2);
      Versions.endChange(nodes, NODE);
      Versions.unlatch(nodes, NODE);
    }

    @Actor
    public void look(JJ_Result result) {
      long word = Versions.read(nodes, NODE);
      if (Versions.isReadable(word)) {
        StressNodes.look(nodes, NODE, word, result);
      } else {
        StressNodes.report(result, StressNodes.AGAIN, StressNodes.AGAIN);
      }
    }
  }

  /** The fault: the bit that keeps readers off is not set. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "before, after, or again")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the fault: a node that never was")
  @State
  public static class FaultNotKeptOff extends OneNode {
    @Actor
    public void change() {
      Versions.latch(nodes, NODE);
      StressNodes.fill(nodes, NODE, 2);
      Versions.unlatch(nodes, NODE);
    }

    @Actor
    public void look(JJ_Result result) {
      StressNodes.look(nodes, NODE, Versions.read(nodes, NODE), result);
    }
  }

  /** The fault: all accesses are plain, and no fence is between them. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "before, after, or again")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the fault: a node that never was")
  @State
  public static class FaultPlainAccess extends OneNode {
    @Actor
    public void change() {
      long word = Words.getLong(nodes, NODE);
      Words.putLong(nodes, NODE, word | 2);
      StressNodes.fill(nodes, NODE, 2);
      Words.putLong(nodes, NODE, word + 8);
    }

    @Actor
    public void look(JJ_Result result) {
      long word = Words.getLong(nodes, NODE);
      long left = StressNodes.left(nodes, NODE);
      long right = StressNodes.right(nodes, NODE);
      if (Versions.isReadable(word) && Versions.is(nodes, NODE, word)) {
        StressNodes.report(result, left, right);
      } else {
        StressNodes.report(result, StressNodes.AGAIN, StressNodes.AGAIN);
      }
    }
  }

  /** Two writers that add 1 to the content lose nothing. */
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "both count")
  @Outcome(expect = FORBIDDEN, desc = "one is lost")
  @State
  public static class TwoWriters extends OneNode {
    @Actor
    public void one() {
      add();
    }

    @Actor
    public void other() {
      add();
    }

    private void add() {
      Versions.latch(nodes, NODE);
      StressNodes.fill(nodes, NODE, StressNodes.left(nodes, NODE) + 1);
      Versions.unlatch(nodes, NODE);
    }

    @Arbiter
    public void look(J_Result result) {
      result.r1 = StressNodes.left(nodes, NODE);
    }
  }

  /** The fault: the latch is looked at, and then taken. */
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "both count")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the fault: one is lost")
  @State
  public static class FaultLatchInTwoSteps extends OneNode {
    @Actor
    public void one() {
      add();
    }

    @Actor
    public void other() {
      add();
    }

    private void add() {
      long word = Versions.read(nodes, NODE);
      for (int tries = 0; (word & 1) != 0; tries++) {
        Versions.pause(tries);
        word = Versions.read(nodes, NODE);
      }
      Words.putLongRelease(nodes, NODE, word | 1);
      StressNodes.fill(nodes, NODE, StressNodes.left(nodes, NODE) + 1);
      Versions.unlatch(nodes, NODE);
    }

    @Arbiter
    public void look(J_Result result) {
      result.r1 = StressNodes.left(nodes, NODE);
    }
  }
}
