// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes the probes of one publisher. Only the worker calls the subscription, so that it is called
 * by one thread at a time; a subscription that comes too late, or twice, is cancelled by whoever
 * brings it.
 */
final class ProbeSubscriber implements Flow.Subscriber<Probe> {
  private static final Flow.Subscription CANCELLED =
      new Flow.Subscription() {
        @Override
        public void request(long n) {}

        @Override
        public void cancel() {}
      };

  private final Handover handover;
  private final Share share;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

  /** That of the publisher; {@link #CANCELLED} once nothing more is wanted of it. */
  private final AtomicReference<Flow.@Nullable Subscription> subscription = new AtomicReference<>();

  ProbeSubscriber(Handover handover, Share share) {
    this.handover = handover;
    this.share = share;
  }

  Share share() {
    return share;
  }

  /** Completes when the publisher has ended and all that it gave is answered. */
  CompletableFuture<@Nullable Void> end() {
    return end;
  }

  @Override
  public void onSubscribe(Flow.Subscription theirs) {
    Objects.requireNonNull(theirs, "subscription is null");
    if (!subscription.compareAndSet(null, theirs)) {
      theirs.cancel(); // It is the second (Reactive Streams, 2.5), or comes after the end.
      return;
    }
    handover.call();
  }

  @Override
  public void onNext(Probe probe) {
    if (!handover.takesUpdates && (probe instanceof Probe.Put || probe instanceof Probe.Delete)) {
      onError(
          new UnsupportedOperationException(
              "several workers can update only an index that many threads may write: " + probe));
      return;
    }
    boolean wasTaken =
        switch (probe) {
          case Probe.Get(long key, long tag) -> take(Kind.GET, key, 0, tag);
          case Probe.Floor(long key, long tag) -> take(Kind.FLOOR, key, 0, tag);
          case Probe.Ceiling(long key, long tag) -> take(Kind.CEILING, key, 0, tag);
          case Probe.Range(long from, long to, long tag) -> take(Kind.RANGE, from, to, tag);
          case Probe.Put(long key, long value) -> take(Kind.PUT, key, value, 0);
          case Probe.Delete(long key) -> take(Kind.DELETE, key, 0, 0);
        };
    if (!wasTaken) {
      onError(
          new IllegalStateException("the publisher sent a probe that was not requested: " + probe));
    }
  }

  private boolean take(Kind kind, long key, long operand, long tag) {
    return handover.takeRequested(share, kind, key, operand, tag);
  }

  @Override
  public void onError(Throwable thrown) {
    Objects.requireNonNull(thrown, "thrown is null");
    handover.ended(share, thrown);
  }

  @Override
  public void onComplete() {
    handover.ended(share, null);
  }

  /** Requests what there is room for, or ends; called by the worker. */
  void tend() {
    if (share.ended) {
      tryToEnd();
      return;
    }
    Flow.Subscription theirs = subscription.get();
    if (theirs == null) {
      return;
    }
    long more = handover.reserve(share);
    if (more > 0) {
      try {
        theirs.request(more);
      } catch (RuntimeException | Error thrown) { // By the publisher.
        onError(thrown);
      }
    }
  }

  /** Returns false if not all that the publisher gave is answered. */
  private boolean tryToEnd() {
    Throwable failure = share.failure;
    unsubscribe(failure != null);
    boolean allAnswered = handover.release(this);
    if (allAnswered) {
      complete(failure);
    }
    return allAnswered;
  }

  /** Ends because the stream does; called by the worker. */
  void endWith(Throwable cause) {
    if (share.ended && tryToEnd()) {
      return;
    }
    unsubscribe(true);
    complete(cause);
  }

  /** Wants nothing more of the publisher, whether or not it has already subscribed. */
  private void unsubscribe(boolean cancel) {
    Flow.Subscription theirs = subscription.getAndSet(CANCELLED);
    if (theirs == null || !cancel) {
      return;
    }
    try {
      theirs.cancel();
    } catch (RuntimeException | Error _) {
      // There is nothing more to be done about a publisher that can't be cancelled.
    }
  }

  /** In a thread of its own, since whoever waits for it may do anything. */
  private void complete(@Nullable Throwable cause) {
    Thread.startVirtualThread(
        () -> {
          if (cause == null) {
            end.complete(null);
          } else {
            end.completeExceptionally(cause);
          }
        });
  }
}
