// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.LongIndex;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.BufferOptions;
import dev.espalier.batch.BufferOptions.Buffers;
import dev.espalier.batch.BufferedAccess;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.batch.VirtualNodes;
import dev.espalier.experiment.Entries;

/** A tree of keys. */
final class BuiltTree implements BuiltIndex {
  private final LongIndex index;
  private final ProbeKeys probes;
  private final int entries;
  private final Placement placement;

  BuiltTree(LongIndex index, ProbeKeys probes, int entries, Placement placement) {
    this.index = index;
    this.probes = probes;
    this.entries = entries;
    this.placement = placement;
  }

  @Override
  public Probing prepare(ProbeSetting setting) {
    long[] keys = probes.of(setting);
    return switch (setting.method()) {
      case UNBUFFERED -> () -> single(index, keys);
      case CHOSEN -> new Chosen(index, keys);
      case FIXED -> buffered(setting, fixed(entries));
      case VARIABLE -> buffered(setting, BufferOptions.DEFAULT.withMostWaiting(keys.length));
      case IN_ORDER ->
          buffered(setting, BufferOptions.DEFAULT.withMostWaiting(keys.length).withInOrder(true));
    };
  }

  @Override
  public Probing prepareSeen(ProbeSetting setting) {
    if (setting.method() != Method.IN_ORDER) {
      return prepare(setting);
    }
    long[] keys = probes.of(setting);
    return new InOrder(
        index, BufferOptions.DEFAULT.withMostWaiting(keys.length).withNodes(nodes(setting)), keys);
  }

  /**
   * Returns buffers of 4 KB, and memory for one below each inner node: twice what the entries take,
   * for the leaves are not full.
   */
  static BufferOptions fixed(int entries) {
    return BufferOptions.DEFAULT
        .withBuffers(Buffers.Fixed.DEFAULT)
        .withMostWaiting(Math.max(2 * entries, Buffers.Fixed.DEFAULT.probes()));
  }

  private Probing buffered(ProbeSetting setting, BufferOptions options) {
    return new Buffered(index, options.withNodes(nodes(setting)), probes.of(setting));
  }

  private VirtualNodes nodes(ProbeSetting setting) {
    return setting.upper().isEmpty()
        ? placement.nodesOf(index)
        : new VirtualNodes(setting.heights(BatchLookup.of(index).levels().height()));
  }

  private static long single(LongIndex index, long[] keys) {
    long sum = 0;
    for (long key : keys) {
      sum += index.get(key);
    }
    return sum;
  }

  @Override
  public long answer(ProbeSetting setting) {
    return Entries.sumOfRanks(probes.of(setting));
  }

  @Override
  public void close() {
    index.close();
  }

  /** Through buffers, with one flush at the end. */
  private static final class Buffered implements Probing {
    private final long[] keys;
    private final SumOfValues answers = new SumOfValues();
    private final BufferedAccess access;

    Buffered(LongIndex index, BufferOptions options, long[] keys) {
      this.keys = keys;
      this.access = BufferedAccess.over(index, options, answers);
    }

    @Override
    public String way() {
      return access.statistics().nodes().toString();
    }

    @Override
    public long run() {
      answers.clear();
      for (int i = 0; i < keys.length; i++) {
        access.get(keys[i], i);
      }
      access.flush();
      return answers.sum;
    }

    @Override
    public void close() {
      access.close();
    }
  }

  /** Through buffers, with one flush at the end and a result buffer that a simulator sees. */
  private static final class InOrder implements Probing {
    private final long[] keys;
    private final ResultBuffer results;
    private final BufferedAccess access;

    InOrder(LongIndex index, BufferOptions options, long[] keys) {
      this.keys = keys;
      this.results = new ResultBuffer(keys.length);
      this.access = BufferedAccess.over(index, options, results);
    }

    @Override
    public long run() {
      for (int i = 0; i < keys.length; i++) {
        results.expect(i, keys[i]);
        access.get(keys[i], i);
      }
      access.flush();
      return results.deliver(keys.length);
    }

    @Override
    public void close() {
      access.close();
      results.close();
    }
  }

  /** By the method that the library chooses. */
  private static final class Chosen implements Probing {
    private final LongIndex index;
    private final long[] keys;
    private final long[] values;

    Chosen(LongIndex index, long[] keys) {
      this.index = index;
      this.keys = keys;
      this.values = new long[keys.length];
    }

    @Override
    public String way() {
      return BatchLookup.of(index).choose(keys.length).method().toString();
    }

    @Override
    public long run() {
      BatchLookup.of(index).getAll(ProbeMethod.AUTO, keys, 0, values, 0, keys.length);
      long sum = 0;
      for (long value : values) {
        sum += value;
      }
      return sum;
    }
  }
}
