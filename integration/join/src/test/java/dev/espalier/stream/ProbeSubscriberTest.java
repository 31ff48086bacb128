// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ProbeSubscriberTest extends StreamFixture {
  /** A publisher whose probes are given by hand. */
  private static class ByHand implements Flow.Publisher<Probe>, Flow.Subscription {
    final AtomicLong requested = new AtomicLong();
    final Semaphore requests = new Semaphore(0);
    final AtomicInteger cancels = new AtomicInteger();
    Flow.@Nullable Subscriber<? super Probe> subscriber;

    @Override
    public void subscribe(Flow.Subscriber<? super Probe> theirs) {
      subscriber = theirs;
      theirs.onSubscribe(this);
    }

    /** Is subscribed to, but does not say so yet. */
    void take(Flow.Subscriber<? super Probe> theirs) {
      subscriber = theirs;
    }

    @Override
    public void request(long n) {
      requested.addAndGet(n);
      requests.release();
    }

    @Override
    public void cancel() {
      cancels.incrementAndGet();
    }
  }

  @Test
  void everyProbeOfAPublisherIsAnsweredOnce() throws Exception {
    int probes = 20_000;
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(1000), log)) {
      CompletableFuture<@Nullable Void> end;
      try (SubmissionPublisher<Probe> publisher = new SubmissionPublisher<>()) {
        end = stream.subscribeTo(publisher);
        for (long i = 0; i < probes; i++) {
          publisher.submit(i % 2 == 0 ? new Probe.Put(i, 3 * i) : new Probe.Get(i - 1, i));
        }
      }
      end.get();
      assertEquals(probes / 2, log.answers.size());
      for (long i = 1; i < probes; i += 2) {
        assertEquals(List.of(3 * (i - 1)), log.answers.get(i));
      }
      assertEquals(probes, stream.statistics().answered());
      assertTrue(stream.statistics().flushes().whenFull() > 0);
    }
  }

  @Test
  void allKindsOfProbesAreTaken() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      ByHand publisher = new ByHand();
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(publisher);
      publisher.requests.acquire();
      List.<Probe>of(
              new Probe.Put(1, 10),
              new Probe.Put(2, 20),
              new Probe.Delete(1),
              new Probe.Get(2, 1),
              new Probe.Floor(5, 2),
              new Probe.Ceiling(0, 3),
              new Probe.Range(0, 9, 4))
          .forEach(publisher.subscriber::onNext);
      publisher.subscriber.onComplete();
      end.get();
    }
    assertEquals(List.of(20L), log.answers.get(1L));
    for (long tag = 2; tag <= 4; tag++) {
      assertEquals(List.of(2L, 20L), log.answers.get(tag));
    }
  }

  @Test
  void noMoreIsRequestedThanThereIsRoomFor() throws Exception {
    AnswerLog gated = AnswerLog.gated();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(8), gated)) {
      ByHand publisher = new ByHand();
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(publisher);
      publisher.requests.acquire();
      assertEquals(4, publisher.requested.get());
      for (long i = 0; i < 4; i++) {
        assertTrue(stream.tryGet(i, 100 + i)); // The other half is for threads.
      }
      assertFalse(stream.tryGet(4, 104));
      gated.reached.await();
      for (long i = 0; i < 4; i++) {
        publisher.subscriber.onNext(new Probe.Get(i, i));
      }
      assertEquals(4, publisher.requested.get());
      assertEquals(8, stream.statistics().waiting());
      gated.openGate();
      publisher.requests.acquire();
      assertTrue(publisher.requested.get() <= 8);
      publisher.subscriber.onComplete();
      end.get();
      assertEquals(8, gated.answers.size());
      assertTrue(stream.tryGet(new long[8], new long[] {11, 12, 13, 14, 15, 16, 17, 18}, 0, 8));
    }
  }

  @Test
  void publishersFailureComesAfterAllThatItGaveIsAnswered() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      ByHand publisher = new ByHand();
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(publisher);
      publisher.requests.acquire();
      publisher.subscriber.onNext(new Probe.Get(1, 1));
      publisher.subscriber.onError(new ArithmeticException());
      ExecutionException thrown = assertThrows(ExecutionException.class, end::get);
      assertInstanceOf(ArithmeticException.class, thrown.getCause());
      assertEquals(1, log.answered.get());
      stream.flush(); // The stream is well.
    }
  }

  @Test
  void publisherThatGivesMoreThanRequestedIsCancelled() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(2), log)) {
      ByHand publisher = new ByHand();
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(publisher);
      publisher.requests.acquire();
      publisher.requested.set(0);
      while (!end.isDone()) {
        publisher.subscriber.onNext(new Probe.Delete(1));
      }
      assertThrows(ExecutionException.class, end::get);
      assertEquals(1, publisher.cancels.get());
    }
  }

  @Test
  void closeCancelsPublishers() {
    ByHand publisher = new ByHand();
    CompletableFuture<@Nullable Void> end;
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      end = stream.subscribeTo(publisher);
      publisher.subscriber.onSubscribe(new ByHand());
    }
    publisher.subscriber.onNext(new Probe.Get(1, 1)); // Came too late.
    ExecutionException thrown = assertThrows(ExecutionException.class, end::get);
    assertInstanceOf(IllegalStateException.class, thrown.getCause());
    assertEquals(1, publisher.cancels.get());
    assertEquals(0, log.answered.get());
  }

  @Test
  void publisherThatSubscribesAfterCloseIsCancelled() throws Exception {
    BlockingQueue<Runnable> held = new LinkedBlockingQueue<>();
    try (SubmissionPublisher<Probe> publisher = new SubmissionPublisher<>(held::add, 1)) {
      CompletableFuture<@Nullable Void> end;
      try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
        end = stream.subscribeTo(publisher);
      }
      assertClosed(end);
      held.take().run(); // Calls onSubscribe.
      assertFalse(publisher.hasSubscribers());
      for (long i = 0; i < 10; i++) { // Would block with a subscriber that requests nothing.
        publisher.submit(new Probe.Get(i, i));
      }
    }
    assertEquals(0, log.answered.get());
  }

  @Test
  void publisherThatSubscribesWhileTheStreamClosesIsCancelledOnce() throws Exception {
    for (int round = 0; round < 500; round++) {
      ByHand publisher = new ByHand();
      ByHand subscription = new ByHand();
      ProbeStream stream = ProbeStream.over(index, PATIENT, log);
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(theirs -> publisher.take(theirs));
      Thread subscribing =
          Thread.ofPlatform().start(() -> publisher.subscriber.onSubscribe(subscription));
      stream.close();
      subscribing.join();
      assertClosed(end);
      assertEquals(1, subscription.cancels.get());
    }
  }

  @Test
  void publisherThatSubscribesAfterItsEndIsCancelled() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      ByHand publisher = new ByHand();
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(theirs -> publisher.take(theirs));
      publisher.subscriber.onComplete();
      end.get();
      publisher.subscriber.onSubscribe(publisher);
      assertEquals(1, publisher.cancels.get());
      assertEquals(0, publisher.requested.get());
    }
  }

  @Test
  void secondSubscriptionIsCancelledAndTheFirstGoesOn() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      ByHand publisher = new ByHand();
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(publisher);
      ByHand second = new ByHand();
      publisher.subscriber.onSubscribe(second);
      assertEquals(1, second.cancels.get());
      publisher.requests.acquire();
      publisher.subscriber.onNext(new Probe.Get(1, 1));
      publisher.subscriber.onComplete();
      end.get();
      assertEquals(0, publisher.cancels.get());
      assertEquals(1, log.answered.get());
    }
  }

  @Test
  void failedSubscriptionIsCancelledOnceAndWhatStillComesIsDropped() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      ByHand publisher = new ByHand();
      CompletableFuture<@Nullable Void> end =
          stream.subscribeTo(
              theirs -> {
                publisher.subscribe(theirs);
                throw new ArithmeticException();
              });
      ExecutionException thrown = assertThrows(ExecutionException.class, end::get);
      assertInstanceOf(ArithmeticException.class, thrown.getCause());
      assertEquals(1, publisher.cancels.get());
      stream.get(1, 1);
      publisher.subscriber.onNext(new Probe.Get(2, 2)); // Reactive Streams, 2.8.
      publisher.subscriber.onComplete();
      stream.flush();
      assertEquals(1, stream.statistics().taken());
    }
  }

  @Test
  void publisherWhoseRequestFailsIsCancelled() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      ByHand publisher =
          new ByHand() {
            @Override
            public void request(long n) {
              throw new ArithmeticException();
            }

            @Override
            public void cancel() {
              super.cancel();
              throw new UnsupportedOperationException();
            }
          };
      CompletableFuture<@Nullable Void> end = stream.subscribeTo(publisher);
      ExecutionException thrown = assertThrows(ExecutionException.class, end::get);
      assertInstanceOf(ArithmeticException.class, thrown.getCause());
      assertEquals(1, publisher.cancels.get());
      stream.flush(); // The stream is well.
    }
  }

  @Test
  void nothingIsRequestedOfAPublisherThatHasJustEnded() {
    Handover handover = new Handover(PATIENT, true, Ticker.SYSTEM);
    ProbeSubscriber subscriber = handover.subscriber();
    subscriber.onSubscribe(new ByHand());
    subscriber.onComplete(); // After the worker has seen that it had not ended.
    assertEquals(0, handover.reserve(subscriber.share()));
    assertTrue(handover.release(subscriber));
  }

  @Test
  void publisherThatWasAnsweredBeforeCloseEndsWell() throws Exception {
    ByHand first = new ByHand();
    CountDownLatch tending = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    ByHand second =
        new ByHand() {
          @Override
          public void request(long n) {
            tending.countDown();
            await(gate);
          }
        };
    ProbeStream stream = ProbeStream.over(index, PATIENT, log);
    CompletableFuture<@Nullable Void> firstEnd = stream.subscribeTo(first);
    first.requests.acquire();
    first.subscriber.onNext(new Probe.Get(1, 1));
    stream.flush();
    CompletableFuture<@Nullable Void> secondEnd = stream.subscribeTo(second);
    tending.await(); // The stream has looked after the first, and will not again before it closes.
    first.subscriber.onComplete();
    Thread closing = Thread.ofPlatform().start(stream::close);
    awaitClosed(stream);
    gate.countDown();
    closing.join();
    firstEnd.get();
    assertClosed(secondEnd);
    assertEquals(0, first.cancels.get());
    assertEquals(1, second.cancels.get());
  }

  @Test
  void publisherThatEndsAfterCloseIsToldThatTheStreamWasClosed() throws Exception {
    AnswerLog gated = AnswerLog.gated();
    ProbeStream stream = ProbeStream.over(index, PATIENT, gated);
    ByHand publisher = new ByHand();
    CompletableFuture<@Nullable Void> end = stream.subscribeTo(publisher);
    publisher.requests.acquire();
    publisher.subscriber.onNext(new Probe.Get(1, 1));
    Thread closing = Thread.ofPlatform().start(stream::close);
    gated.reached.await();
    publisher.subscriber.onNext(new Probe.Get(2, 2)); // Dropped.
    publisher.subscriber.onComplete();
    gated.openGate();
    closing.join();
    assertClosed(end);
    assertEquals(List.of(1L), List.copyOf(gated.answers.keySet()));
  }

  private static void assertClosed(CompletableFuture<@Nullable Void> end) {
    ExecutionException thrown = assertThrows(ExecutionException.class, end::get);
    assertInstanceOf(IllegalStateException.class, thrown.getCause());
  }

  /** Returns when the stream takes no more, which is before its close returns. */
  private static void awaitClosed(ProbeStream stream) {
    try {
      while (true) {
        stream.tryGet(new long[0], new long[0], 0, 0);
        Thread.onSpinWait();
      }
    } catch (IllegalStateException _) {
      // Closed.
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void publisherThatCannotBeSubscribedToEnds() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(2), log)) {
      for (int i = 0; i < 3; i++) { // Each gives its room back.
        CompletableFuture<@Nullable Void> end =
            stream.subscribeTo(
                _ -> {
                  throw new ArithmeticException();
                });
        assertThrows(ExecutionException.class, end::get);
      }
    }
  }

  @Test
  void publisherWithoutRoomIsRefused() {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(1), log)) {
      assertThrows(IllegalStateException.class, () -> stream.subscribeTo(new ByHand()));
    }
  }
}
