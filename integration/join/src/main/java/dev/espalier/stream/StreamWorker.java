// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.batch.BufferStatistics;
import dev.espalier.batch.BufferedAccess;
import org.jspecify.annotations.Nullable;

/** What a stream's own thread does: it alone calls the buffered access. */
final class StreamWorker implements Runnable {
  private final Handover handover;
  private final BufferedAccess access;
  private final StreamMeter meter;
  private final Ticker ticker;
  private final KeptFailure kept;

  /** Probes and updates given to the access so far. */
  private long fed;

  /** What feeding has taken since the last flush. */
  private long busyNanos;

  private boolean hasUpdates;
  private boolean hasEntryProbes;

  /** What the access threw since the last flush: an update's failure, or that of the index. */
  private @Nullable Throwable thrown;

  StreamWorker(
      Handover handover,
      BufferedAccess access,
      StreamMeter meter,
      Ticker ticker,
      KeptFailure kept) {
    this.handover = handover;
    this.access = access;
    this.meter = meter;
    this.ticker = ticker;
    this.kept = kept;
  }

  @Override
  public void run() {
    try (access) {
      serve();
    } catch (RuntimeException | Error failure) {
      handover.fail(failure);
    }
    Throwable failure = handover.failure();
    Throwable reason =
        failure == null ? new IllegalStateException("the stream was closed") : failure;
    handover.subscribers().forEach(subscriber -> subscriber.endWith(reason));
  }

  private void serve() {
    ProbeBatch batch = handover.newBatch();
    while (!handover.isFinished()) {
      Handover.Task task = handover.exchange(batch);
      batch = task.batch();
      long begin = ticker.nanoTime();
      feed(batch);
      busyNanos += ticker.nanoTime() - begin;
      batch.clear();
      FlushCause cause = task.flush();
      if (cause != null) {
        flush(cause);
      }
      handover.subscribers().forEach(ProbeSubscriber::tend);
    }
  }

  private void feed(ProbeBatch batch) {
    int from = 0;
    for (int run = 0; run < batch.runs(); run++) {
      Kind kind = batch.kind(run);
      int to = batch.end(run);
      makeWayFor(kind);
      for (int i = from; i < to; i++) {
        add(kind, batch.key(i), batch.operand(i), batch.tag(i));
      }
      meter.waits(batch.time(run), to - from);
      from = to;
    }
  }

  /**
   * Flushes what must not wait together with another kind. The access would do it too, but a
   * failure would then hide whether the next probe was added.
   */
  private void makeWayFor(Kind kind) {
    if (kind.isUpdate() ? hasEntryProbes : kind.findsEntries() && hasUpdates) {
      flushAccess();
      meter.flushedBetweenKinds();
    }
    hasUpdates |= kind.isUpdate();
    hasEntryProbes |= kind.findsEntries();
  }

  private void add(Kind kind, long key, long operand, long tag) {
    fed++;
    try {
      switch (kind) {
        case GET -> access.get(key, tag);
        case FLOOR -> access.floor(key, tag);
        case CEILING -> access.ceiling(key, tag);
        case RANGE -> access.range(key, operand, tag);
        case PUT -> access.put(key, operand);
        case DELETE -> access.delete(key);
      }
    } catch (RuntimeException | Error failure) {
      note(failure);
      checkAllAdded(access.statistics());
    }
  }

  private void flush(FlushCause cause) {
    long begin = ticker.nanoTime();
    flushAccess();
    long end = ticker.nanoTime();
    Thread
        .interrupted(); // Only a consumer can have interrupted this thread: it means nothing here.
    meter.flushed(cause, end);
    handover.flushed(end - begin, busyNanos + end - begin);
    busyNanos = 0;
  }

  /** Answers all that was added. The failure of an update does not keep the others from it. */
  private void flushAccess() {
    try {
      access.flush();
    } catch (RuntimeException | Error failure) {
      note(failure);
    }
    BufferStatistics statistics = access.statistics();
    checkAllAdded(statistics);
    if (statistics.waiting() != 0) {
      throw broken();
    }
    if (thrown != null) {
      kept.keep(thrown);
      thrown = null;
    }
    hasUpdates = false;
    hasEntryProbes = false;
  }

  private void note(Throwable failure) {
    if (thrown == null) {
      thrown = failure;
    }
  }

  private void checkAllAdded(BufferStatistics statistics) {
    if (statistics.probes() + statistics.updates() != fed) {
      throw broken();
    }
  }

  /** Returns why the access can't go on; throws an error as it is. */
  private RuntimeException broken() {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException exception
        ? exception
        : new IllegalStateException("the buffered access did not answer all probes");
  }
}
