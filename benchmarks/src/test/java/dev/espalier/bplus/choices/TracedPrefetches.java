// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.memory.Trace;
import dev.espalier.tree.Structures;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link PrefetchPolicyTest} starts in a JVM that traces: prints, for every policy, which
 * lines of which nodes of a small tree are prefetched, in order. The tree has a root of 3
 * separators over leaves with 31, 31, 31 and 7 entries; all nodes are 8 lines wide.
 */
final class TracedPrefetches {
  private static final int DISTANCE = 2;

  private TracedPrefetches() {}

  /** Traces lookups by every policy, then scans by every array and policy. */
  public static void main(String[] args) {
    for (NodePrefetch policy : NodePrefetch.values()) {
      try (ConfigurablePbPlusTree tree = load(PbPlusChoices.DEFAULT.withSearchPrefetch(policy))) {
        trace("get " + policy + " of 7", tree, () -> tree.get(99));
        trace("get " + policy + " of 31", tree, () -> tree.get(50));
        trace("put " + policy + " of 7", tree, () -> tree.put(99, 0));
      }
    }
    try (PbPlusTree tree =
        fill(PbPlusTree.create(IndexOptions.DEFAULT, new Geometry(8, 8, DISTANCE)))) {
      trace("get as PbPlusTree of 7", tree, () -> tree.get(99));
      trace("put as PbPlusTree of 7", tree, () -> tree.put(99, 0));
      trace("next as PbPlusTree", tree, () -> scan(tree.cursor()));
      trace("previous as PbPlusTree", tree, () -> scanBackwards(tree.cursor()));
    }
    for (JumpPointers array :
        List.of(JumpPointers.INTERNAL, JumpPointers.chunked(1), JumpPointers.FLAT)) {
      for (NodePrefetch policy :
          List.of(NodePrefetch.NONE, NodePrefetch.LINEAR, NodePrefetch.HALF_LINEAR)) {
        PbPlusChoices choices =
            PbPlusChoices.DEFAULT.withJumpPointers(array).withScanPrefetch(policy);
        try (ConfigurablePbPlusTree tree = load(choices)) {
          String name = array.getClass().getSimpleName() + " " + policy;
          trace("next " + name, tree, () -> scan(tree.cursor()));
          trace("previous " + name, tree, () -> scanBackwards(tree.cursor()));
        }
      }
    }
  }

  private static ConfigurablePbPlusTree load(PbPlusChoices choices) {
    return fill(
        ConfigurablePbPlusTree.create(IndexOptions.DEFAULT, new Geometry(8, 8, DISTANCE), choices));
  }

  private static <I extends LongIndex> I fill(I tree) {
    for (long key = 0; key < 100; key++) {
      tree.put(key, key);
    }
    return tree;
  }

  private static void scan(LongCursor cursor) {
    while (cursor.next()) {
      cursor.value();
    }
  }

  private static void scanBackwards(LongCursor cursor) {
    while (cursor.previous()) {
      cursor.value();
    }
  }

  private static void trace(String name, LongIndex tree, Runnable operation) {
    Prefetches prefetches = new Prefetches(Structures.of(tree, BPlusStructure.class));
    Trace.to(prefetches);
    operation.run();
    Trace.to(null);
    operation.run();
    System.out.println(name + ":" + prefetches.lines);
  }

  /** Writes down each prefetched line by its node, r or the number of the leaf, and its number. */
  private static final class Prefetches implements Trace.Listener {
    private final BPlusStructure tree;
    private final List<Long> leaves = new ArrayList<>();
    private final StringBuilder lines = new StringBuilder();
    private String node = "";

    Prefetches(BPlusStructure tree) {
      this.tree = tree;
      for (int i = 0; i <= tree.inner.count(tree.nodes, tree.root); i++) {
        leaves.add(tree.inner.child(tree.nodes, tree.root, i));
      }
    }

    @Override
    public void read(long address, int bytes) {}

    @Override
    public void write(long address, int bytes) {}

    @Override
    public void prefetch(long address, int count) {
      long line = (address - tree.base) >> 6;
      for (int i = 0; i < count; i++) {
        append(line + i);
      }
    }

    private void append(long line) {
      long root = tree.root >> 6;
      String found = line >= root && line < root + 8 ? "r" : "?";
      long number = line - root;
      for (int i = 0; i < leaves.size(); i++) {
        long first = leaves.get(i) >> 6;
        if (line >= first && line < first + 8) {
          found = String.valueOf(i);
          number = line - first;
        }
      }
      if (!found.equals(node)) {
        lines.append(' ').append(found).append(':');
        node = found;
      }
      lines.append(number);
    }
  }
}
