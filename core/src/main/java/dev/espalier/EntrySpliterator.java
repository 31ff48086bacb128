// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Comparator;
import java.util.Spliterator;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The keys or the values of an index or view, in its order. Until the first is asked for, what is
 * left can be divided: halfway between its first and its last key.
 */
final class EntrySpliterator implements Spliterator.OfLong {
  private final boolean ofKeys;
  private final int characteristics;
  private LongNavigable part;
  private long estimate;
  private @Nullable LongCursor cursor;

  /**
   * Begins at the first entry.
   *
   * @param ofKeys whether the keys are wanted, not the values
   * @param estimate how many entries there may be; {@link Long#MAX_VALUE} if that is not known
   */
  EntrySpliterator(LongNavigable part, boolean ofKeys, long estimate) {
    this(
        part,
        ofKeys,
        estimate,
        ORDERED | NONNULL | (ofKeys ? DISTINCT | (part instanceof LongIndex ? SORTED : 0) : 0));
  }

  private EntrySpliterator(LongNavigable part, boolean ofKeys, long estimate, int characteristics) {
    this.part = part;
    this.ofKeys = ofKeys;
    this.estimate = estimate;
    this.characteristics = characteristics;
  }

  /** Returns a stream of the keys or the values, and refuses to if the index is closed. */
  static LongStream stream(LongNavigable part, boolean ofKeys) {
    part.missingValue();
    long estimate = part instanceof LongIndex index ? index.sizeEstimate() : Long.MAX_VALUE;
    return StreamSupport.longStream(new EntrySpliterator(part, ofKeys, estimate), false);
  }

  private LongCursor begun() {
    if (cursor == null) {
      cursor = part.cursor();
    }
    return cursor;
  }

  @Override
  public boolean tryAdvance(LongConsumer action) {
    LongCursor at = begun();
    if (!at.next()) {
      return false;
    }
    action.accept(ofKeys ? at.key() : at.value());
    return true;
  }

  @Override
  public void forEachRemaining(LongConsumer action) {
    LongCursor at = begun();
    LongRun run = new LongRun();
    while (at.nextRun(run)) {
      MemorySegment segment = run.segment();
      long offset = ofKeys ? run.keysOffset() : run.valuesOffset();
      for (int i = 0; i < run.count(); i++) {
        action.accept(segment.get(ValueLayout.JAVA_LONG, offset + (long) i * run.stride()));
      }
    }
  }

  @Override
  public @Nullable OfLong trySplit() {
    LongEntry end = new LongEntry();
    if (cursor != null || !part.first(end)) {
      return null;
    }
    long first = end.key();
    if (!part.last(end) || end.key() == first) {
      return null;
    }
    boolean ascends = first < end.key();
    // Rounded down: at most the higher of the two less one.
    long middle = (first & end.key()) + ((first ^ end.key()) >> 1);
    estimate >>>= 1;
    OfLong before =
        new EntrySpliterator(part.headView(middle, ascends), ofKeys, estimate, characteristics);
    part = part.tailView(middle, !ascends);
    return before;
  }

  @Override
  public long estimateSize() {
    return estimate;
  }

  @Override
  public int characteristics() {
    return characteristics;
  }

  /** Returns null, for the keys of what is sorted ascend. */
  @Override
  public @Nullable Comparator<? super Long> getComparator() {
    if ((characteristics & SORTED) == 0) {
      throw new IllegalStateException("these are not sorted");
    }
    return null;
  }
}
