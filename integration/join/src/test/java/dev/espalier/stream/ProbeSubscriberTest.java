// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ProbeSubscriberTest {
  private static final ProbeStreamOptions PATIENT =
      ProbeStreamOptions.DEFAULT.withResponseTime(Duration.ofHours(1));

  private final LongIndex index = PbPlusTree.create();
  private final AnswerLog log = AnswerLog.open();

  @AfterEach
  void closeIndex() {
    index.close();
  }

  /** A publisher whose probes are given by hand. */
  private static final class ByHand implements Flow.Publisher<Probe>, Flow.Subscription {
    final AtomicLong requested = new AtomicLong();
    final Semaphore requests = new Semaphore(0);
    final AtomicInteger cancels = new AtomicInteger();
    Flow.@Nullable Subscriber<? super Probe> subscriber;

    @Override
    public void subscribe(Flow.Subscriber<? super Probe> theirs) {
      subscriber = theirs;
      theirs.onSubscribe(this);
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
