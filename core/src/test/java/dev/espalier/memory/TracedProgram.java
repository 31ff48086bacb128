// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import dev.espalier.IndexOptions;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.node.Keys;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;

/** What {@link TraceTest} starts in a JVM that traces: prints what operations cost. */
final class TracedProgram {
  private TracedProgram() {}

  private static final class Counter implements Trace.Listener {
    private int reads;
    private int writes;
    private int prefetchedLines;
    private final Set<Long> linesRead = new HashSet<>();

    @Override
    public void read(long address, int bytes) {
      reads++;
      linesRead.add(address >> CacheLine.SHIFT);
    }

    @Override
    public void write(long address, int bytes) {
      writes++;
    }

    @Override
    public void prefetch(long address, int lines) {
      prefetchedLines += lines;
    }

    private void print(String operation) {
      System.out.println(
          operation + " " + reads + " " + writes + " " + prefetchedLines + " " + linesRead.size());
    }
  }

  /** Traces operations on a pB+-tree of two levels and on CSS-trees. */
  public static void main(String[] args) {
    System.out.println("simd " + Keys.SIMD);
    tracePbPlusTree();
    traceCssTree("cssSmall", 5_000);
    traceCssTree("cssLarge", 1_200_000);
  }

  private static void tracePbPlusTree() {
    try (PbPlusTree tree = PbPlusTree.create(IndexOptions.DEFAULT, PbPlusTree.Geometry.DEFAULT)) {
      for (long key = 0; key < 100; key++) {
        tree.put(key, key);
      }
      trace("put", () -> tree.put(1000, 1));
      trace("get", () -> tree.get(50));
      trace("contains", () -> tree.containsKey(50));
    }
  }

  /** Traces batched lookups of keys that share no leaf: a whole group, then a single probe. */
  private static void traceCssTree(String name, int entries) {
    try (CssTree tree = CssTree.create(IndexOptions.DEFAULT)) {
      long[] keys = LongStream.range(0, entries).toArray();
      tree.bulkload(keys, keys);
      long[] group = LongStream.range(0, 128).map(i -> i * (entries / 128)).toArray();
      long[] one = {entries / 2};
      trace(name + "Group", () -> getGroup(tree, group));
      trace(name + "One", () -> getGroup(tree, one));
    }
  }

  private static void getGroup(CssTree tree, long[] keys) {
    BatchLookup.of(tree).getAll(ProbeMethod.GROUP, keys, 0, new long[keys.length], 0, keys.length);
  }

  private static void trace(String name, Runnable operation) {
    Counter counter = new Counter();
    Trace.to(counter);
    operation.run();
    Trace.to(null);
    operation.run();
    counter.print(name);
  }
}
