// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Trace;
import java.util.List;

/**
 * What {@link LongKeyScanTest} starts in a JVM that traces: prints, for every policy, which lines
 * of which leaves a scan prefetches, in order.
 */
final class TracedLongKeyScan {
  private static final int WIDTH = 8;

  private TracedLongKeyScan() {}

  /** Scans leaves two thirds full, of keys of two words, by every policy. */
  public static void main(String[] args) {
    try (LongKeyTree tree = new LongKeyTree(2, WIDTH, 0.67, 4 * 14 + 3)) {
      for (NodePrefetch policy :
          List.of(NodePrefetch.NONE, NodePrefetch.LINEAR, NodePrefetch.HALF_LINEAR)) {
        Fetched fetched = new Fetched(tree.nodes.address() + tree.leaf(0));
        SimulatedWork.traced(fetched, () -> new LongKeyScan(tree, policy, 2).sum());
        System.out.println(policy + ":" + fetched.lines);
      }
    }
  }

  /** Writes down each prefetched line by the number of its leaf, and its own. */
  private static final class Fetched implements Trace.Listener {
    private final long leaves;
    private final StringBuilder lines = new StringBuilder();
    private long last = -1;

    Fetched(long leaves) {
      this.leaves = leaves;
    }

    @Override
    public void read(long address, int bytes) {}

    @Override
    public void write(long address, int bytes) {}

    @Override
    public void prefetch(long address, int count) {
      for (int i = 0; i < count; i++) {
        long line = ((address - leaves) >> CacheLine.SHIFT) + i;
        if (line / WIDTH != last) {
          last = line / WIDTH;
          lines.append(' ').append(last).append(':');
        }
        lines.append(line % WIDTH);
      }
    }
  }
}
