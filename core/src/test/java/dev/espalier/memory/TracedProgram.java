// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import dev.espalier.IndexOptions;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.node.Keys;

/** What {@link TraceTest} starts in a JVM that traces: prints what a put, a get and a miss cost. */
final class TracedProgram {
  private TracedProgram() {}

  private static final class Counter implements Trace.Listener {
    private int reads;
    private int writes;
    private int prefetchedLines;

    @Override
    public void read(long address, int bytes) {
      reads++;
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
      System.out.println(operation + " " + reads + " " + writes + " " + prefetchedLines);
    }
  }

  /** Traces three operations on a tree of two levels. */
  public static void main(String[] args) {
    System.out.println("simd " + Keys.SIMD);
    try (PbPlusTree tree = PbPlusTree.create(IndexOptions.DEFAULT, PbPlusTree.Geometry.DEFAULT)) {
      for (long key = 0; key < 100; key++) {
        tree.put(key, key);
      }
      trace("put", () -> tree.put(1000, 1));
      trace("get", () -> tree.get(50));
      trace("contains", () -> tree.containsKey(50));
    }
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
