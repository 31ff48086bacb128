// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.memory.HugePages;

/** Looks up the keys of an array by buffered probes; the values come in the order of the keys. */
final class BufferedLookup {
  private BufferedLookup() {}

  /** As {@link dev.espalier.LongIndex#getAll}, in rounds of at most {@code capacity} probes. */
  static void getAll(
      TreeLevels tree,
      VirtualNodes nodes,
      int capacity,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count) {
    Scatter scatter = new Scatter(values, valuesFrom);
    int round = Math.min(capacity, count);
    try (var buffers = new VariableBuffers(tree, nodes, round, HugePages.WHEN_GROWN, scatter)) {
      for (int done = 0; done < count; done += round) {
        int end = Math.min(done + round, count);
        for (int i = done; i < end; i++) {
          buffers.add(keys[keysFrom + i], i);
        }
        buffers.flush();
      }
    }
  }

  /** Puts every answer where its probe was. */
  private static final class Scatter implements AnswerSink {
    private final long[] to;
    private final int at;

    Scatter(long[] to, int at) {
      this.to = to;
      this.at = at;
    }

    @Override
    public void answered(long[] tags, long[] keys, long[] values, int from, int end) {
      for (int i = from; i < end; i++) {
        to[at + (int) tags[i]] = values[i];
      }
    }

    @Override
    public void operate(long key, long tag) {
      throw new IllegalStateException("a lookup has no operations: tag " + tag);
    }
  }
}
