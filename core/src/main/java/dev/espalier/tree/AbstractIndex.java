// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntry;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.TreeLevels;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.util.NoSuchElementException;
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

  // Neighbours

  @Override
  public final long firstKey() {
    return nearest(Long.MIN_VALUE, true, null);
  }

  @Override
  public final long lastKey() {
    return nearest(Long.MAX_VALUE, false, null);
  }

  @Override
  public final boolean first(LongEntry entry) {
    return ceiling(Long.MIN_VALUE, entry);
  }

  @Override
  public final boolean last(LongEntry entry) {
    return floor(Long.MAX_VALUE, entry);
  }

  @Override
  public final boolean floor(long key, LongEntry entry) {
    return nearest(key, false, Objects.requireNonNull(entry, "entry")) != 0;
  }

  @Override
  public final boolean ceiling(long key, LongEntry entry) {
    return nearest(key, true, Objects.requireNonNull(entry, "entry")) != 0;
  }

  @Override
  public final boolean lower(long key, LongEntry entry) {
    if (key == Long.MIN_VALUE) {
      structure.checkOpen();
      return false;
    }
    return floor(key - 1, entry);
  }

  @Override
  public final boolean higher(long key, LongEntry entry) {
    if (key == Long.MAX_VALUE) {
      structure.checkOpen();
      return false;
    }
    return ceiling(key + 1, entry);
  }

  /**
   * Finds the first entry at or after a key, or the last one at or before it.
   *
   * @param upwards which of the two
   * @param entry receives it; null if only its key is wanted
   * @return {@link #found} or {@link #none}
   */
  protected long nearest(long key, boolean upwards, @Nullable LongEntry entry) {
    LongCursor cursor = cursor();
    return (upwards ? cursor.ceiling(key) : cursor.floor(key))
        ? found(cursor.key(), cursor.value(), entry)
        : none(entry);
  }

  /** Returns what {@link #nearest} answers for an entry: its key, or 1 when it has filled one. */
  protected static long found(long key, long value, @Nullable LongEntry entry) {
    if (entry == null) {
      return key;
    }
    entry.set(key, value);
    return 1;
  }

  /** Returns 0, which {@link #nearest} answers if there is no entry to fill one with. */
  protected static long none(@Nullable LongEntry entry) {
    if (entry == null) {
      throw new NoSuchElementException("there are no entries");
    }
    return 0;
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
    long entries = size();
    return structure
        .whileNodesStay(() -> IndexStatistics.of(rootView(), entries, structure.memory()))
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
