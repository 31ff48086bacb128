// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Passes probes from the calling threads to the worker. */
final class Handover {
  /* Overview
   *
   *   threads, publishers ---> queue ==exchange==> batch ---> the access's buffers ---> answered
   *                         |     queued      |           fed                      |
   *                         |<------------- inside, at most mostInside ----------->|
   *
   * One lock guards everything. A batch goes in under one locking of it, and all of the queue goes
   * to the worker by an exchange of two batches. The worker frees room only when all that it was fed
   * is answered, which is the end of a flush.
   *
   * The worker sleeps until there is a reason to flush, or so many probes that feeding them pays; it
   * is woken when one of these begins, not for every probe.
   *
   * Invariants:
   *   I1  inside() is at most mostInside.
   *   I2  A probe is either taken, and then answered unless the stream fails, or its thread is told.
   *   I3  Threads that wait for room get it in the order in which they came.
   */

  /** Waking the worker costs about what feeding some hundred probes does. */
  private static final int FEED = 4096;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final Condition answers = lock.newCondition();

  /** Whether publishers may send updates. */
  final boolean takesUpdates;

  private final Ticker ticker;
  private final Pacing pacing;
  private final int mostInside;
  private final Share threads;
  private final List<ProbeSubscriber> subscribers = new ArrayList<>();

  /** The threads that wait for room. */
  private final ArrayDeque<Thread> blocked = new ArrayDeque<>();

  private ProbeBatch queue;
  private long taken;
  private long answered;
  private long fed;
  private long oldestFed;

  /** All up to this one are to be answered, because somebody has asked for it. */
  private long flushUpTo;

  private boolean full;
  private boolean subscribersCall;
  private boolean closing;
  private @Nullable Throwable failure;

  /**
   * Begins with nothing inside.
   *
   * @param takesUpdates whether publishers may send updates
   */
  Handover(ProbeStreamOptions options, boolean takesUpdates, Ticker ticker) {
    this.ticker = ticker;
    this.takesUpdates = takesUpdates;
    this.mostInside = options.mostInside();
    this.pacing = new Pacing(options.responseTime(), mostInside);
    this.threads = new Share(mostInside);
    this.queue = newBatch();
  }

  ProbeBatch newBatch() {
    return new ProbeBatch(pacing.timeResolution());
  }

  // ---------------------------------------------------------------- threads

  /**
   * Takes a probe or update, when there is room.
   *
   * @throws InterruptedException if the thread was interrupted while it waited; nothing was taken
   */
  void take(Kind kind, long key, long operand, long tag) throws InterruptedException {
    lock.lock();
    try {
      awaitRoom(1);
      append(threads, kind, key, operand, tag);
    } finally {
      lock.unlock();
    }
  }

  /** Takes a probe or update, or returns false if there is no room. */
  boolean tryTake(Kind kind, long key, long operand, long tag) {
    lock.lock();
    try {
      if (!hasRoomNow(1)) {
        return false;
      }
      append(threads, kind, key, operand, tag);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #take}, for several probes, all or none. */
  void takeGets(long[] keys, long[] tags, int from, int count) throws InterruptedException {
    lock.lock();
    try {
      awaitRoom(count);
      appendGets(keys, tags, from, count);
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #tryTake}, for several probes, all or none. */
  boolean tryTakeGets(long[] keys, long[] tags, int from, int count) {
    lock.lock();
    try {
      if (!hasRoomNow(count)) {
        return false;
      }
      appendGets(keys, tags, from, count);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void append(Share share, Kind kind, long key, long operand, long tag) {
    queue.add(kind, key, operand, tag, ticker.nanoTime());
    appended(share, 1);
  }

  private void appendGets(long[] keys, long[] tags, int from, int count) {
    if (count > 0) {
      queue.addGets(keys, tags, from, count, ticker.nanoTime());
      appended(threads, count);
    }
  }

  private void appended(Share share, int count) {
    int before = queue.count() - count;
    taken += count;
    share.taken(count);
    boolean firstInside = before == 0 && fed == 0;
    if (firstInside || (before < FEED && queue.count() >= FEED)) {
      work.signal();
    }
  }

  /** Whoever finds no room lets the worker make some. */
  private boolean hasRoomNow(int count) {
    checkUsable();
    checkFits(count);
    if (blocked.isEmpty() && hasRoom(count)) {
      return true;
    }
    if (!hasRoom(count)) {
      wantRoom();
    }
    return false;
  }

  private void awaitRoom(int count) throws InterruptedException {
    if (hasRoomNow(count)) {
      return;
    }
    Thread me = Thread.currentThread();
    blocked.add(me);
    try {
      while (!me.equals(blocked.peek()) || !hasRoom(count)) {
        if (me.equals(blocked.peek())) {
          wantRoom();
        }
        room.await();
        checkUsable();
        checkFits(count);
      }
    } finally {
      blocked.remove(me);
      room.signalAll();
    }
  }

  private void checkFits(int count) {
    if (count > threads.places) {
      throw new IllegalArgumentException(
          "count is "
              + count
              + " probes; there is room for at most "
              + threads.places
              + " at a time");
    }
  }

  private boolean hasRoom(int count) {
    long used = threads.used();
    return inside() + requested() + count <= mostInside
        && (used == 0 || used + count <= pacing.allowed(threads.places));
  }

  private void wantRoom() {
    full = true;
    work.signal();
  }

  private long inside() {
    return queue.count() + fed;
  }

  private long requested() {
    long sum = 0;
    for (int i = 0; i < subscribers.size(); i++) { // Often called: without an iterator.
      sum += subscribers.get(i).share().requested;
    }
    return sum;
  }

  // ---------------------------------------------------------------- owner

  /** Waits until all that was taken before is answered. */
  void flush() throws InterruptedException {
    lock.lock();
    try {
      checkUsable();
      long upTo = taken;
      askFor(upTo);
      while (answered < upTo) {
        answers.await();
        checkNotFailed();
      }
    } finally {
      lock.unlock();
    }
  }

  private void askFor(long upTo) {
    flushUpTo = Math.max(flushUpTo, upTo);
    work.signal();
  }

  /** Takes no more. Returns false if that was so before. */
  boolean close() {
    lock.lock();
    try {
      boolean wasOpen = !closing;
      closing = true;
      work.signal();
      room.signalAll();
      return wasOpen;
    } finally {
      lock.unlock();
    }
  }

  /** Throws why the stream has failed, if it has. */
  void throwFailure() {
    lock.lock();
    try {
      checkNotFailed();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many were taken. */
  long taken() {
    lock.lock();
    try {
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void checkUsable() {
    checkNotFailed();
    if (closing) {
      throw new IllegalStateException("the stream is closed");
    }
  }

  private void checkNotFailed() {
    Throwable cause = failure;
    if (cause != null) {
      throw new ProbeStreamException(
          "the stream has failed; " + (taken - answered) + " probes or updates are lost", cause);
    }
  }

  // ---------------------------------------------------------------- publishers

  /**
   * Sets half of the room that is left aside for a publisher.
   *
   * @throws IllegalStateException if there is none, or the stream is closed
   */
  ProbeSubscriber subscriber() {
    lock.lock();
    try {
      checkUsable();
      int places = threads.places / 2;
      if (places == 0) {
        throw new IllegalStateException("there is no room for another publisher");
      }
      threads.places -= places;
      ProbeSubscriber subscriber = new ProbeSubscriber(this, new Share(places));
      subscribers.add(subscriber);
      return subscriber;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a probe, or drops it if the stream is closed or the publisher has ended. Returns false if
   * it was not requested.
   */
  boolean takeRequested(Share share, Kind kind, long key, long operand, long tag) {
    lock.lock();
    try {
      if (closing || failure != null || share.ended) {
        return true;
      }
      if (share.requested == 0) {
        return false;
      }
      share.requested--;
      append(share, kind, key, operand, tag);
      if (share.requested == 0) {
        wantRoom();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Notes that a subscriber wants to be heard by the worker. */
  void call() {
    lock.lock();
    try {
      subscribersCall = true;
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that a publisher gives no more: what it gave is to be answered. Of several ends the first
   * counts, and none after the stream's own, since probes may have been dropped by then.
   */
  void ended(Share share, @Nullable Throwable thrown) {
    lock.lock();
    try {
      if (closing || failure != null || share.ended) {
        return;
      }
      share.failure = thrown;
      share.ended = true;
      share.requested = 0;
      askFor(taken);
      subscribersCall = true;
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- worker

  /** What the worker has to do next. */
  record Task(ProbeBatch batch, @Nullable FlushCause flush) {}

  /**
   * Waits until there is something to do, and gives all that is queued for a batch that is empty.
   */
  Task exchange(ProbeBatch empty) {
    lock.lock();
    try {
      FlushCause cause = flushCause();
      while (cause == null && queue.count() < FEED && !closing && !subscribersCall) {
        await();
        cause = flushCause();
      }
      subscribersCall = false;
      if (fed == 0 && queue.count() > 0) {
        oldestFed = queue.time(0);
      }
      ProbeBatch batch = queue;
      queue = empty;
      fed += batch.count();
      threads.feed();
      subscribers.forEach(subscriber -> subscriber.share().feed());
      return new Task(batch, cause);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable FlushCause flushCause() {
    if (inside() == 0) {
      return null;
    }
    if (closing || flushUpTo > answered) {
      return FlushCause.ASKED;
    }
    if (full) {
      return FlushCause.FULL;
    }
    return ticker.nanoTime() - flushAt() >= 0 ? FlushCause.TIMER : null;
  }

  private long flushAt() {
    return pacing.flushAt(fed > 0 ? oldestFed : queue.time(0), inside());
  }

  /** The caller looks whether there is a reason to go on. */
  @SuppressWarnings("WaitNotInLoop")
  private void await() {
    try {
      if (inside() == 0) {
        work.await();
      } else {
        ticker.await(work, Math.max(1, flushAt() - ticker.nanoTime()));
      }
    } catch (InterruptedException _) {
      // Only a consumer can have interrupted the worker's thread, and nothing here depends on it.
    }
  }

  /**
   * Notes that all that was fed is answered.
   *
   * @param flushNanos how long the flush took
   * @param busyNanos how long the worker was at work for them, flush included
   */
  void flushed(long flushNanos, long busyNanos) {
    lock.lock();
    try {
      pacing.flushed(fed, flushNanos, busyNanos, full);
      answered += fed;
      fed = 0;
      full = false;
      threads.flushed();
      subscribers.forEach(subscriber -> subscriber.share().flushed());
      room.signalAll();
      answers.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the publishers of the moment. */
  List<ProbeSubscriber> subscribers() {
    lock.lock();
    try {
      return List.copyOf(subscribers);
    } finally {
      lock.unlock();
    }
  }

  /** Sets free places aside, and returns how many are to be requested of a publisher now. */
  long reserve(Share share) {
    lock.lock();
    try {
      if (closing || share.ended) {
        return 0;
      }
      long more =
          Math.min(
              pacing.allowed(share.places) - share.used(), mostInside - inside() - requested());
      if (more <= 0) {
        full |= share.requested == 0;
        return 0;
      }
      share.requested += more;
      return more;
    } finally {
      lock.unlock();
    }
  }

  /** Gives the room of a publisher back that has ended, if all it gave is answered. */
  boolean release(ProbeSubscriber subscriber) {
    lock.lock();
    try {
      if (subscriber.share().used() > 0) {
        return false;
      }
      threads.places += subscriber.share().places;
      subscribers.remove(subscriber);
      room.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether the stream is closed and nothing is inside. */
  boolean isFinished() {
    lock.lock();
    try {
      return closing && inside() == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the stream before all is answered. */
  void fail(Throwable cause) {
    lock.lock();
    try {
      failure = cause;
      room.signalAll();
      answers.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the failure, or null. */
  @Nullable Throwable failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }
}
