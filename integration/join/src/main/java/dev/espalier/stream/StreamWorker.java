// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

/** What the thread of a stream does that leads the others, if there are any. */
final class StreamWorker implements Runnable {
  private final Handover handover;
  private final StreamCrew crew;
  private final StreamMeter meter;
  private final Ticker ticker;

  /** What feeding has taken since the last flush. */
  private long busyNanos;

  private boolean hasUpdates;
  private boolean hasEntryProbes;

  StreamWorker(Handover handover, StreamCrew crew, StreamMeter meter, Ticker ticker) {
    this.handover = handover;
    this.crew = crew;
    this.meter = meter;
    this.ticker = ticker;
  }

  @Override
  public void run() {
    try (crew) {
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
      if (kind.isUpdate() ? hasEntryProbes : kind.findsEntries() && hasUpdates) {
        feed(batch, from, run);
        from = run;
        flushBetweenKinds();
      }
      hasUpdates |= kind.isUpdate();
      hasEntryProbes |= kind.findsEntries();
      meter.waits(batch.time(run), batch.end(run) - batch.begin(run));
    }
    feed(batch, from, batch.runs());
  }

  private void feed(ProbeBatch batch, int fromRun, int toRun) {
    if (fromRun < toRun) {
      crew.each(part -> part.feed(batch, fromRun, toRun));
    }
  }

  /**
   * Flushes what must not wait together with another kind, in no part. The access would do it too,
   * but a failure would then hide whether the next probe was added.
   */
  private void flushBetweenKinds() {
    flushParts();
    meter.flushedBetweenKinds();
  }

  private void flush(FlushCause cause) {
    long begin = ticker.nanoTime();
    flushParts();
    long end = ticker.nanoTime();
    Thread
        .interrupted(); // Only a consumer can have interrupted this thread: it means nothing here.
    meter.flushed(cause, end);
    handover.flushed(end - begin, busyNanos + end - begin);
    busyNanos = 0;
  }

  private void flushParts() {
    crew.each(StreamPart::flush);
    hasUpdates = false;
    hasEntryProbes = false;
  }
}
