// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.LongIndex;
import dev.espalier.batch.AnswerConsumer;
import dev.espalier.batch.BufferOptions;
import dev.espalier.batch.BufferedAccess;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Takes probes of an index as they come, from any number of threads or from publishers, and answers
 * each within a stated response time (buffering paper, 4.5 and 6.7). In between they wait, so that
 * many share the way to the leaves: a stream answers several times as many in a second as single
 * lookups do, if the index is far larger than the cache.
 *
 * {@snippet :
 * try (var stream = ProbeStream.over(orders, ProbeStreamOptions.DEFAULT, consumer)) {
 *   stream.get(keys, tags, 0, count);
 * }
 * }
 *
 * <p><b>Answers.</b> Every probe that was taken is answered exactly once, in a thread of the
 * stream's own. Probes and updates may be mixed: a probe sees exactly the updates that were taken
 * before it, so what one thread puts, its later probes find. Updates alternating with probes for
 * the nearest key, or for ranges, cost a flush each time.
 *
 * <p><b>Time.</b> An answer comes no later than the response time plus a tick, which is a sixteenth
 * of it: the stream begins to flush a tick and the time that a flush is expected to take before the
 * oldest probe's time is up, and takes no more probes than it expects to answer in half of the
 * response time. What no stream can foresee, such as a consumer that suddenly takes long or a
 * machine that stands still, comes on top; {@link #statistics} tells.
 *
 * <p><b>Room.</b> At most {@code mostInside} probes and updates are inside, less while they can't
 * be answered in time. When the stream is full, methods that throw {@link InterruptedException}
 * wait, the others refuse.
 *
 * <p><b>Failures.</b> What a consumer or an update throws is kept, and everything else goes on; the
 * next {@link #flush} or {@link #close} throws the first of it, as the cause of a {@link
 * ProbeStreamException}. If the index itself fails, because it is closed or damaged, the stream
 * fails: what is inside is lost, and all calls from then on throw that exception.
 *
 * <p>Any thread may call a stream. A consumer may call the methods that refuse, but none that
 * waits. The stream counts as one reader of the index, or as a writer if it is given updates:
 * nobody else may change the index while the stream is open, or even read it if there are updates.
 * The index is neither owned nor closed.
 */
public final class ProbeStream implements AutoCloseable {
  /* Overview
   *
   * Threads hand probes over to a worker (Handover), which gives them to a BufferedAccess and
   * flushes it in time (StreamWorker). When, and how many may be inside, is decided by Pacing.
   *
   * Deviations from the paper:
   *   D1  Buffers are of variable size. With the fixed ones of the paper's 6.7 most probes wait for
   *       the timer as well, since a buffer far down is seldom full after a part of a second; but
   *       variable ones are faster, and the time of their flush can be foreseen, because all
   *       answers come by it.
   *   D2  The paper's timer fires at fixed intervals. Here the oldest probe's age counts.
   */

  private final Handover handover;
  private final StreamMeter meter = new StreamMeter();
  private final KeptFailure kept = new KeptFailure();
  private final Thread worker;

  private ProbeStream(
      LongIndex index, ProbeStreamOptions options, AnswerConsumer consumer, Ticker ticker) {
    BufferOptions buffers =
        BufferOptions.DEFAULT
            .withMostWaiting(options.mostInside() + 1) // So that it never flushes by itself.
            .withInOrder(options.inOrder());
    BufferedAccess access =
        BufferedAccess.over(index, buffers, new GuardedConsumer(consumer, kept));
    this.handover = new Handover(options, ticker);
    this.worker =
        Thread.ofPlatform()
            .daemon()
            .name("espalier-probe-stream")
            .unstarted(new StreamWorker(handover, access, meter, ticker, kept));
  }

  /**
   * Opens a stream.
   *
   * @param consumer is called by the stream's own thread alone, and should be fast: its time is
   *     part of the response time
   * @throws IllegalStateException if the index is closed
   * @throws UnsupportedOperationException if it is an index behind a lock, which would not be held
   *     while probes wait
   * @throws dev.espalier.memory.MemoryLimitException if there is no memory for the buffers
   */
  public static ProbeStream over(
      LongIndex index, ProbeStreamOptions options, AnswerConsumer consumer) {
    return over(index, options, consumer, Ticker.SYSTEM);
  }

  static ProbeStream over(
      LongIndex index, ProbeStreamOptions options, AnswerConsumer consumer, Ticker ticker) {
    Objects.requireNonNull(index, "index is null");
    Objects.requireNonNull(options, "options is null");
    Objects.requireNonNull(consumer, "consumer is null");
    ProbeStream stream = new ProbeStream(index, options, consumer, ticker);
    stream.worker.start();
    return stream;
  }

  // ---------------------------------------------------------------- probes

  /**
   * Asks for the value of a key; waits while the stream is full.
   *
   * @param tag comes back with the answer; not negative
   * @throws InterruptedException if the thread was interrupted while it waited for room: the probe
   *     was not taken. As of all methods that wait for room.
   * @throws IllegalArgumentException if the tag is negative
   * @throws IllegalStateException if the stream is closed, also while the thread waits, or if a
   *     consumer calls. As of all methods that wait for room.
   * @throws ProbeStreamException if the stream has failed
   */
  public void get(long key, long tag) throws InterruptedException {
    takeProbe(Kind.GET, key, 0, tag);
  }

  /**
   * Asks for the values of {@code count} keys, from {@code from} on, with the tags at the same
   * places: all are taken together, or none. The arrays are free for other use afterwards. Large
   * batches are the cheapest way to hand probes over.
   *
   * @throws InterruptedException if the thread was interrupted while it waited for room for all of
   *     them: none was taken
   * @throws IndexOutOfBoundsException if they are not within both arrays
   * @throws IllegalArgumentException if a tag is negative, or if there would not be room for so
   *     many even in an empty stream
   */
  public void get(long[] keys, long[] tags, int from, int count) throws InterruptedException {
    checkGets(keys, tags, from, count);
    checkMayWait();
    handover.takeGets(keys, tags, from, count);
  }

  /** As {@link #get(long, long)}, but returns false, and takes nothing, if the stream is full. */
  public boolean tryGet(long key, long tag) {
    ProbeBatch.checkTag(tag);
    return handover.tryTake(Kind.GET, key, 0, tag);
  }

  /**
   * As {@link #get(long[], long[], int, int)}, but returns false, and takes nothing, if there is no
   * room for all.
   */
  public boolean tryGet(long[] keys, long[] tags, int from, int count) {
    checkGets(keys, tags, from, count);
    return handover.tryTakeGets(keys, tags, from, count);
  }

  private static void checkGets(long[] keys, long[] tags, int from, int count) {
    Objects.checkFromIndexSize(from, count, keys.length);
    Objects.checkFromIndexSize(from, count, tags.length);
    for (int i = from; i < from + count; i++) {
      ProbeBatch.checkTag(tags[i]);
    }
  }

  /** Asks for the entry with the greatest key that is not above {@code key}. */
  public void floor(long key, long tag) throws InterruptedException {
    takeProbe(Kind.FLOOR, key, 0, tag);
  }

  /** Asks for the entry with the least key that is not below {@code key}. */
  public void ceiling(long key, long tag) throws InterruptedException {
    takeProbe(Kind.CEILING, key, 0, tag);
  }

  /** Asks for all entries from {@code from} to {@code to}, both included. */
  public void range(long from, long to, long tag) throws InterruptedException {
    takeProbe(Kind.RANGE, from, to, tag);
  }

  private void takeProbe(Kind kind, long key, long operand, long tag) throws InterruptedException {
    ProbeBatch.checkTag(tag);
    checkMayWait();
    handover.take(kind, key, operand, tag);
  }

  // ---------------------------------------------------------------- updates

  /** Stores a value: the probes taken from now on find it, those taken before do not. */
  public void put(long key, long value) throws InterruptedException {
    checkMayWait();
    handover.take(Kind.PUT, key, value, 0);
  }

  /** Removes a key, if it is there, for the probes taken from now on. */
  public void delete(long key) throws InterruptedException {
    checkMayWait();
    handover.take(Kind.DELETE, key, 0, 0);
  }

  // ---------------------------------------------------------------- probes as objects

  /** Takes a probe or an update, or returns false if the stream is full. */
  public boolean offer(Probe probe) {
    return switch (probe) {
      case Probe.Get(long key, long tag) -> handover.tryTake(Kind.GET, key, 0, tag);
      case Probe.Floor(long key, long tag) -> handover.tryTake(Kind.FLOOR, key, 0, tag);
      case Probe.Ceiling(long key, long tag) -> handover.tryTake(Kind.CEILING, key, 0, tag);
      case Probe.Range(long from, long to, long tag) -> handover.tryTake(Kind.RANGE, from, to, tag);
      case Probe.Put(long key, long value) -> handover.tryTake(Kind.PUT, key, value, 0);
      case Probe.Delete(long key) -> handover.tryTake(Kind.DELETE, key, 0, 0);
    };
  }

  /**
   * Takes what a publisher gives, and never requests more of it than there is room for. Half of the
   * room that no other publisher has is set aside for it until it ends.
   *
   * @return completes when the publisher is complete and all that it gave is answered;
   *     exceptionally with what the publisher failed with, also after all that it gave is answered,
   *     or if the stream is closed or fails before that
   * @throws IllegalStateException if there is no room for one more publisher, or the stream is
   *     closed
   */
  public CompletableFuture<@Nullable Void> subscribeTo(Flow.Publisher<? extends Probe> publisher) {
    Objects.requireNonNull(publisher, "publisher is null");
    ProbeSubscriber subscriber = handover.subscriber();
    try {
      publisher.subscribe(subscriber);
    } catch (RuntimeException | Error thrown) {
      subscriber.onError(thrown);
    }
    return subscriber.end();
  }

  // ---------------------------------------------------------------- end

  /**
   * Waits until all that was taken before the call is answered.
   *
   * @throws InterruptedException if the thread was interrupted meanwhile: the flush goes on
   * @throws ProbeStreamException if a consumer or an update has failed, which is then no longer
   *     kept, or if the stream has failed
   */
  public void flush() throws InterruptedException {
    checkMayWait();
    handover.flush();
    kept.throwKept();
  }

  /** Returns what was done so far; also after {@link #close}. */
  public ProbeStreamStatistics statistics() {
    return meter.statistics(handover::taken);
  }

  private void checkMayWait() {
    if (worker.equals(Thread.currentThread())) {
      throw new IllegalStateException("a consumer must not wait for its own stream");
    }
  }

  /**
   * Takes no more, answers everything inside, and ends the stream's thread. Threads that wait for
   * room get an {@link IllegalStateException}; publishers that have not ended are cancelled, also
   * those that subscribe only later. An interrupt does not shorten this, and is kept. A second call
   * waits for the first.
   *
   * @throws IllegalStateException if it is called by a consumer
   * @throws ProbeStreamException as {@link #flush}; the stream is closed nevertheless
   */
  @Override
  public void close() {
    checkMayWait();
    boolean isFirst = handover.close();
    boolean interrupted = false;
    while (worker.isAlive()) {
      try {
        worker.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (isFirst) {
      handover.throwFailure();
      kept.throwKept();
    }
  }
}
