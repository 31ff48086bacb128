// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Nodes and roots that readers come to while they are new, or used again. */
public final class PublicationStress {
  private static final long PARENT = StressNodes.FIRST;
  private static final long OLD = StressNodes.SECOND;
  private static final long NEW = StressNodes.THIRD;

  /** Where the parent's child is. */
  private static final long CHILD = PARENT + 8;

  private PublicationStress() {}

  /** A parent whose child has the content 1. */
  abstract static class ParentAndChild {
    final MemorySegment nodes = StressNodes.memory();

    ParentAndChild() {
      StressNodes.make(nodes, PARENT, OLD);
      StressNodes.make(nodes, OLD, 1);
    }

    /** Makes a new node the child. */
    final void exchange() {
      Versions.latch(nodes, PARENT);
      Versions.begin(nodes, NEW);
      StressNodes.fill(nodes, NEW, 2);
      Versions.beginChange(nodes, PARENT);
      Words.putLong(nodes, CHILD, NEW);
      Versions.endChange(nodes, PARENT);
      Versions.unlatch(nodes, NEW);
      Versions.unlatch(nodes, PARENT);
    }

    /** Uses the old child for something else, with the content 3. */
    final void useAgain() {
      Versions.latch(nodes, OLD);
      Versions.retire(nodes, OLD);
      Versions.reuse(nodes, OLD);
      StressNodes.fill(nodes, OLD, 3);
      Versions.unlatch(nodes, OLD);
    }

    /** Goes from the parent to its child and reads that, as a lookup does. */
    final void descend(JJ_Result result) {
      long above = Versions.read(nodes, PARENT);
      long child = Words.getLong(nodes, CHILD);
      long word = Words.getLong(nodes, child);
      if (Versions.isReadable(above)
          && Versions.isStill(nodes, PARENT, above)
          && Versions.isReadable(word)) {
        StressNodes.look(nodes, child, word, result);
      } else {
        StressNodes.report(result, StressNodes.AGAIN, StressNodes.AGAIN);
      }
    }
  }

  /** As {@link ParentAndChild}, where changes of the parent are counted. */
  abstract static class CountedParent extends ParentAndChild {
    /** Makes a new node the child, and uses the old one for something else. */
    final void exchangeCounted() {
      Versions.countBegin(nodes, ConcurrentStructure.CHANGES);
      exchange();
      Versions.countEnd(nodes, ConcurrentStructure.CHANGES);
      useAgain();
    }

    /** Goes from the parent to its child without the parent's word, as a first lookup does. */
    final void descendByCount(JJ_Result result) {
      long changes = Words.getLongAcquire(nodes, ConcurrentStructure.CHANGES);
      long child = Words.getLong(nodes, CHILD);
      long word = Words.getLong(nodes, child);
      if (Versions.noneSince(nodes, ConcurrentStructure.CHANGES, changes)
          && Versions.isReadable(word)) {
        StressNodes.look(nodes, child, word, result);
      } else {
        StressNodes.report(result, StressNodes.AGAIN, StressNodes.AGAIN);
      }
    }
  }

  /** Whoever goes down by the count takes no node for what it was. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old child, the new one, or again")
  @Outcome(expect = FORBIDDEN, desc = "a node that is no child any more")
  @State
  public static class DescentByCount extends CountedParent {
    @Actor
    public void write() {
      exchangeCounted();
    }

    @Actor
    public void look(JJ_Result result) {
      descendByCount(result);
    }
  }

  /** The fault: a change is counted when it is over, and so is the next use of the child. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old child, the new one, or again")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the fault: a node that is no child any more")
  @State
  public static class FaultCountedLate extends CountedParent {
    @Actor
    public void write() {
      exchange();
      useAgain();
      Versions.countBegin(nodes, ConcurrentStructure.CHANGES);
      Versions.countEnd(nodes, ConcurrentStructure.CHANGES);
    }

    @Actor
    public void look(JJ_Result result) {
      descendByCount(result);
    }
  }

  /** A new child is complete for whoever comes to it. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old child, the new one, or again")
  @Outcome(expect = FORBIDDEN, desc = "a child that is not complete")
  @State
  public static class NewChild extends ParentAndChild {
    @Actor
    public void write() {
      exchange();
    }

    @Actor
    public void look(JJ_Result result) {
      descend(result);
    }
  }

  /** The fault: the child is filled after it was made known. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old child, the new one, or again")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the fault: a child that is not complete")
  @State
  public static class FaultFilledLate extends ParentAndChild {
    @Actor
    public void write() {
      Versions.latch(nodes, PARENT);
      Versions.begin(nodes, NEW);
      Versions.beginChange(nodes, PARENT);
      Words.putLong(nodes, CHILD, NEW);
      Versions.endChange(nodes, PARENT);
      StressNodes.fill(nodes, NEW, 2);
      Versions.unlatch(nodes, NEW);
      Versions.unlatch(nodes, PARENT);
    }

    @Actor
    public void look(JJ_Result result) {
      descend(result);
    }
  }

  /** Nobody who comes late to a node that is used again takes it for what it was. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old child, the new one, or again")
  @Outcome(expect = FORBIDDEN, desc = "a node that is no child any more")
  @State
  public static class NodeUsedAgain extends ParentAndChild {
    @Actor
    public void write() {
      exchange();
      useAgain();
    }

    @Actor
    public void look(JJ_Result result) {
      descend(result);
    }
  }

  /** The fault: the reader does not look at the parent again when it has the child's word. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "2, 2", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old child, the new one, or again")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the fault: a node that is no child any more")
  @State
  public static class FaultParentNotChecked extends ParentAndChild {
    @Actor
    public void write() {
      exchange();
      useAgain();
    }

    @Actor
    public void look(JJ_Result result) {
      long child = Words.getLong(nodes, CHILD);
      long word = Versions.read(nodes, child);
      if (Versions.isReadable(word)) {
        StressNodes.look(nodes, child, word, result);
      } else {
        StressNodes.report(result, StressNodes.AGAIN, StressNodes.AGAIN);
      }
    }
  }

  /** A tree whose root is a leaf with the content 1. */
  abstract static class Root {
    final MemorySegment nodes = StressNodes.memory();

    Root() {
      StressNodes.make(nodes, OLD, 1);
      Words.putLongRelease(nodes, ConcurrentStructure.ROOT, OLD);
    }

    /** Reads the root's content and its level, as a lookup does. */
    final void look(JJ_Result result) {
      long root = Words.getLong(nodes, ConcurrentStructure.ROOT);
      long node = ConcurrentStructure.nodeOf(root);
      long word = Words.getLong(nodes, node);
      if (Versions.isStill(nodes, ConcurrentStructure.ROOT, root) && Versions.isReadable(word)) {
        StressNodes.look(nodes, node, word, result);
        result.r2 = result.r1 == StressNodes.AGAIN ? result.r1 : ConcurrentStructure.levelOf(root);
      } else {
        StressNodes.report(result, StressNodes.AGAIN, StressNodes.AGAIN);
      }
    }
  }

  /** A new root is complete, and comes with its level. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "2, 1", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old root, the new one, or again")
  @Outcome(expect = FORBIDDEN, desc = "a root that is not complete, or of another level")
  @State
  public static class NewRoot extends Root {
    @Actor
    public void write() {
      Versions.begin(nodes, NEW);
      StressNodes.fill(nodes, NEW, 2);
      Words.putLongRelease(nodes, ConcurrentStructure.ROOT, NEW | 1);
      Versions.unlatch(nodes, NEW);
    }

    @Actor
    public void read(JJ_Result result) {
      look(result);
    }
  }

  /** The fault: the root is made known, and then filled. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "2, 1", "-1, -1"},
      expect = ACCEPTABLE,
      desc = "the old root, the new one, or again")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the fault: a root that is not complete")
  @State
  public static class FaultRootFilledLate extends Root {
    @Actor
    public void write() {
      Versions.begin(nodes, NEW);
      Words.putLongRelease(nodes, ConcurrentStructure.ROOT, NEW | 1);
      StressNodes.fill(nodes, NEW, 2);
      Versions.unlatch(nodes, NEW);
    }

    @Actor
    public void read(JJ_Result result) {
      look(result);
    }
  }
}
