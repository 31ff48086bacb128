// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongIndex;
import dev.espalier.batch.AnswerConsumer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Takes lookups of an index, called probes, one by one from any number of threads or from
 * publishers, and answers each within a given response time (buffering paper, 4.5 and 6.7).
 * Meanwhile, probes wait in buffers, so that many of them share the path to the leaves. If the
 * index is far larger than the cache, a stream answers several times as many per second as single
 * lookups.
 *
 * {@snippet :
 * AnswerConsumer consumer = (tag, key, value, found) -> reply(tag, found ? value : -1);
 * try (var stream = ProbeStream.over(orders, ProbeStreamOptions.DEFAULT, consumer)) {
 *   stream.get(4711, 1);
 * }
 * }
 *
 * <p><b>Answers.</b> Every accepted probe is answered exactly once, in a thread of the stream.
 * Probes and updates may be mixed: a probe sees exactly the updates accepted before it, so a
 * thread's probes find what the thread has put before. If updates alternate with probes for the
 * nearest key or for ranges, each switch costs a flush.
 *
 * <p><b>Time.</b> The stream aims to answer within the response time plus one sixteenth of it. It
 * starts to flush early enough for the oldest probe, going by how long flushes have taken, and
 * accepts no more probes than it expects to answer in half the response time. Unforeseeable delays,
 * such as a consumer that is suddenly slow or a machine that stalls, add to that; {@link
 * #statistics} reports the latencies.
 *
 * <p><b>Workers.</b> A stream has one thread that looks up keys, or {@link
 * ProbeStreamOptions#workers several}, which divide the keys among them. Several workers answer at
 * the same time, in any order, so their consumer must allow calls from several threads. What each
 * probe sees, the response time and the room are the same as with one worker. For lookups alone,
 * any index will do; updates by several workers require a {@link ConcurrentLongIndex}.
 *
 * <p><b>Room.</b> At most {@code mostInside} probes and updates are in the stream, and fewer while
 * that many cannot be answered in time. If the stream is full, methods that throw {@link
 * InterruptedException} wait, and the others return false.
 *
 * <p><b>Failures.</b> If the consumer or an update throws, everything else goes on, and the next
 * {@link #flush} or {@link #close} throws the first such exception, as the cause of a {@link
 * ProbeStreamException}. If the index itself fails, because it is closed or damaged, the stream
 * fails: what is in it is lost, {@link #end} tells so at once, and all later calls throw a {@link
 * ProbeStreamException}.
 *
 * <p>Any thread may call a stream. A consumer may call the methods that return false if the stream
 * is full, but none that waits. The stream counts as a reader of the index, or as a writer if it is
 * given updates: no one else may change the index while the stream is open, or even read it if
 * there are updates. Closing the stream does not close the index.
 */
public final class ProbeStream implements AutoCloseable {
  /* Overview
   *
   * Threads hand probes over to a worker (Handover), which gives them to a BufferedAccess and
   * flushes it in time (StreamWorker). Pacing decides when to flush, and how many may be inside.
   *
   * Several workers (StreamCrew) divide the keys among them by a hash (StreamPart), each with a
   * BufferedAccess. One leads: it takes from the handover, has all of them feed their parts, and
   * has all of them flush. So what is inside, what is answered and when to flush are matters of the
   * whole stream, as with one worker; and where kinds must not wait together, no part goes on
   * before all have flushed.
   *
   * Deviations from the paper:
   *   D1  Buffers are of variable size. With the fixed ones of the paper's 6.7 most probes wait for
   *       the timer as well, since a buffer far down is seldom full after a part of a second; but
   *       variable ones are faster, and the time of their flush can be predicted, because all
   *       answers come with it.
   *   D2  The paper's timer fires at fixed intervals. Here the oldest probe's age counts.
   */

  private final Handover handover;
  private final StreamMeter meter = new StreamMeter();
  private final KeptFailure kept = new KeptFailure();
  private final boolean takesUpdates;
  private final String indexName;
  private final Thread worker;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

  /** A thread of a stream, which must not wait for that. */
  private static final class Worker extends Thread {
    private final ProbeStream stream;

    Worker(ProbeStream stream, Runnable task) {
      super(task, "espalier-probe-stream");
      this.stream = stream;
      setDaemon(true);
    }
  }

  private ProbeStream(
      LongIndex index, ProbeStreamOptions options, AnswerConsumer consumer, Ticker ticker) {
    this.takesUpdates = options.workers() == 1 || index instanceof ConcurrentLongIndex;
    this.indexName = index.variant().name();
    GuardedConsumer guarded = new GuardedConsumer(consumer, kept);
    StreamCrew crew = new StreamCrew(index, options, guarded, kept, task -> new Worker(this, task));
    this.handover = new Handover(options, takesUpdates, ticker);
    StreamWorker leader = new StreamWorker(handover, crew, meter, ticker);
    this.worker = new Worker(this, () -> run(leader));
  }

  private void run(StreamWorker leader) {
    leader.run();
    try {
      handover.throwFailure();
      end.complete(null);
    } catch (ProbeStreamException failed) {
      end.completeExceptionally(failed);
    }
  }

  /**
   * Opens a stream.
   *
   * @param index the index to look up keys in
   * @param consumer receives the answers, in a thread of the stream; should be fast, because its
   *     time is part of the response time
   * @throws IllegalStateException if the index is closed
   * @throws UnsupportedOperationException if the index is behind a lock, which could not be held
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
   * Asks for the value of a key. Waits while the stream is full.
   *
   * @param tag a number that is passed on with the answer; not negative
   * @throws InterruptedException if the thread was interrupted while it waited for room; the probe
   *     was not accepted. Applies to all methods that wait for room
   * @throws IllegalArgumentException if the tag is negative
   * @throws IllegalStateException if the stream is closed, even while the thread waits, or if
   *     called by a consumer. Applies to all methods that wait for room
   * @throws ProbeStreamException if the stream has failed
   */
  public void get(long key, long tag) throws InterruptedException {
    takeProbe(Kind.GET, key, 0, tag);
  }

  /**
   * Asks for the values of {@code count} keys, from index {@code from}, with the tags at the same
   * indexes. Accepts all of them or none. Waits while there is no room. The arrays may be reused
   * afterwards. Large batches are the fastest way to pass probes.
   *
   * @throws InterruptedException if the thread was interrupted while it waited for room; no probe
   *     was accepted
   * @throws IndexOutOfBoundsException if the range is not within both arrays
   * @throws IllegalArgumentException if a tag is negative, or if so many would not fit even into an
   *     empty stream
   */
  public void get(long[] keys, long[] tags, int from, int count) throws InterruptedException {
    checkGets(keys, tags, from, count);
    checkMayWait();
    handover.takeGets(keys, tags, from, count);
  }

  /** Asks for the value of a key, or returns false if the stream is full. */
  public boolean tryGet(long key, long tag) {
    ProbeBatch.checkTag(tag);
    return handover.tryTake(Kind.GET, key, 0, tag);
  }

  /**
   * Asks for the values of {@code count} keys, as {@link #get(long[], long[], int, int)} does, or
   * returns false and accepts none if there is no room for all.
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

  /**
   * Asks for the entry with the greatest key less than or equal to {@code key}. Waits while the
   * stream is full.
   */
  public void floor(long key, long tag) throws InterruptedException {
    takeProbe(Kind.FLOOR, key, 0, tag);
  }

  /**
   * Asks for the entry with the least key greater than or equal to {@code key}. Waits while the
   * stream is full.
   */
  public void ceiling(long key, long tag) throws InterruptedException {
    takeProbe(Kind.CEILING, key, 0, tag);
  }

  /**
   * Asks for all entries with keys from {@code from} to {@code to}, inclusive. Waits while the
   * stream is full.
   */
  public void range(long from, long to, long tag) throws InterruptedException {
    takeProbe(Kind.RANGE, from, to, tag);
  }

  private void takeProbe(Kind kind, long key, long operand, long tag) throws InterruptedException {
    ProbeBatch.checkTag(tag);
    checkMayWait();
    handover.take(kind, key, operand, tag);
  }

  // ---------------------------------------------------------------- updates

  /**
   * Stores a value. Probes accepted later find it; probes accepted earlier do not. Waits while the
   * stream is full.
   *
   * @throws UnsupportedOperationException if the stream has several workers and the index is not a
   *     {@link ConcurrentLongIndex}; applies to all updates
   */
  public void put(long key, long value) throws InterruptedException {
    checkTakesUpdates();
    checkMayWait();
    handover.take(Kind.PUT, key, value, 0);
  }

  /**
   * Removes a key, if present. Probes accepted earlier still find it; probes accepted later do not.
   * Waits while the stream is full.
   */
  public void delete(long key) throws InterruptedException {
    checkTakesUpdates();
    checkMayWait();
    handover.take(Kind.DELETE, key, 0, 0);
  }

  private void checkTakesUpdates() {
    if (!takesUpdates) {
      throw new UnsupportedOperationException(
          "several workers can update only an index that many threads may write; this one is a "
              + indexName);
    }
  }

  // ---------------------------------------------------------------- probes as objects

  /** Accepts a probe or an update, or returns false if the stream is full. */
  public boolean offer(Probe probe) {
    if (probe instanceof Probe.Put || probe instanceof Probe.Delete) {
      checkTakesUpdates();
    }
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
   * Accepts the probes and updates of a publisher, and never requests more than there is room for.
   * Reserves for it half of the room that is not reserved for other publishers, until it ends.
   *
   * @return a future that completes when the publisher has completed and everything it published
   *     has been answered; it completes exceptionally if the publisher fails, again after
   *     everything it published has been answered, or if the stream is closed or fails first
   * @throws IllegalStateException if there is no room for another publisher, or the stream is
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
   * Answers everything accepted before the call, and waits until that is done.
   *
   * @throws InterruptedException if the thread was interrupted while it waited; the flush goes on
   * @throws ProbeStreamException if the consumer or an update has failed, which is reported once,
   *     or if the stream has failed
   */
  public void flush() throws InterruptedException {
    checkMayWait();
    handover.flush();
    kept.throwKept();
  }

  /**
   * Returns a future that completes when the stream has ended: when it is closed and everything in
   * it is answered, or exceptionally, with a {@link ProbeStreamException}, when it has failed. What
   * depends on it runs in a thread of the stream, like a consumer, or at once if that has ended.
   */
  public CompletableFuture<@Nullable Void> end() {
    return end;
  }

  /**
   * Returns counters and latencies of what has been done so far. May be called after {@link
   * #close}.
   */
  public ProbeStreamStatistics statistics() {
    return meter.statistics(handover::taken);
  }

  private void checkMayWait() {
    if (Thread.currentThread() instanceof Worker mine && equals(mine.stream)) {
      throw new IllegalStateException("a consumer must not wait for its own stream");
    }
  }

  /**
   * Stops accepting probes, answers everything in the stream, and ends its threads. Threads that
   * wait for room get an {@link IllegalStateException}; subscriptions to publishers that have not
   * ended are cancelled, even if they start later. An interrupt does not shorten this, but the
   * interrupt status is kept. A second call waits for the first.
   *
   * @throws IllegalStateException if called by a consumer
   * @throws ProbeStreamException as in {@link #flush}; the stream is closed all the same
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
