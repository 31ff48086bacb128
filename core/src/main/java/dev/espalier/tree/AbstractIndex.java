// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.TreeLevels;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What every tree does alike: everything that concerns the whole of it. Operations on one key and
 * on groups of keys are hot, and stand in each final class: HotSpot keeps one profile per bytecode,
 * so what trees shared would be compiled for all of them at once (decision 1).
 */
public abstract class AbstractIndex implements LongIndex {
  /** What the index answers for a key that is not there. */
  protected final long missingValue;

  private final TreeVariant variant;
  final IndexStructure structure;
  private @Nullable BatchLookup lookup;

  /** Creates the index over its nodes. */
  protected AbstractIndex(TreeVariant variant, IndexStructure structure, IndexOptions options) {
    this.variant = variant;
    this.structure = structure;
    structure.setName(variant.name());
    this.missingValue = options.missingValue();
  }

  /** Sets the levels through which many probes go down; to be called once, by the constructor. */
  protected final void probesGoThrough(TreeLevels levels) {
    lookup = new BatchLookup(this, levels);
  }

  @Override
  public final TreeVariant variant() {
    return variant;
  }

  @Override
  public final long missingValue() {
    structure.checkOpen();
    return missingValue;
  }

  @Override
  public final long size() {
    structure.checkOpen();
    return structure.size();
  }

  @Override
  public final long sizeEstimate() {
    structure.checkOpen();
    return structure.sizeEstimate();
  }

  @Override
  public final boolean isEmpty() {
    structure.checkOpen();
    return structure.isEmpty();
  }

  @Override
  public final BatchLookup batchLookup() {
    structure.checkOpen();
    return Objects.requireNonNull(lookup);
  }

  @Override
  public final void clear() {
    structure.clear();
  }

  @Override
  public LongCursor cursor() {
    structure.checkOpen();
    return structure.cursor();
  }

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    Objects.requireNonNull(entries, "entries");
    Objects.requireNonNull(listener, "listener");
    structure.bulkload(entries, fillFactor, total, listener);
  }

  @Override
  public final void verify(ProgressListener listener) {
    structure.verify(listener);
  }

  @Override
  public final long shrink(ProgressListener listener) {
    return structure.shrink(Objects.requireNonNull(listener, "listener"));
  }

  @Override
  public final NodeView rootView() {
    structure.checkOpen();
    return structure.rootView();
  }

  @Override
  public final IndexStatistics statistics() {
    return IndexStatistics.of(rootView(), size(), structure.memory())
        .withChoice(structure.choice());
  }

  @Override
  public final void flush() {
    structure.checkOpen();
    structure.flush();
  }

  @Override
  public final boolean allowsTornReads() {
    return structure.allowsTornReads();
  }

  @Override
  public final void expectTornReads() {
    structure.expectTornReads();
  }

  @Override
  public final boolean isClosed() {
    return structure.isClosed();
  }

  @Override
  public final void close() {
    structure.close();
  }

  /** Returns the variant with its entries and their bytes. Takes no pass, and never throws. */
  @Override
  public final String toString() {
    try {
      if (!isClosed()) {
        return IndexDescription.of(
            variant.name(), structure.sizeEstimate(), structure.memory().usedBytes());
      }
    } catch (RuntimeException torn) {
      if (!isClosed()) {
        return variant.name() + ", changed by another thread";
      }
    }
    return variant.name() + ", closed";
  }
}
