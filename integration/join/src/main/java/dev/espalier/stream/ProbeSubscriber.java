// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Takes the probes of one publisher. Only the worker calls the subscription, so that it is called
 * by one thread at a time.
 */
final class ProbeSubscriber implements Flow.Subscriber<Probe> {
  private final Handover handover;
  private final Share share;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

  private volatile Flow.@Nullable Subscription subscription;
  private volatile @Nullable Throwable failure;
  private volatile boolean ended;
  private boolean cancelled;

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
    if (subscription != null) {
      theirs.cancel(); // Reactive Streams, 2.5.
      return;
    }
    subscription = theirs;
    handover.call();
  }

  @Override
  public void onNext(Probe probe) {
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
      onError(new IllegalStateException("a probe came that was not requested: " + probe));
    }
  }

  private boolean take(Kind kind, long key, long operand, long tag) {
    return handover.takeRequested(share, kind, key, operand, tag);
  }

  @Override
  public void onError(Throwable thrown) {
    Objects.requireNonNull(thrown, "thrown is null");
    if (!ended) {
      failure = thrown;
    }
    onComplete();
  }

  @Override
  public void onComplete() {
    ended = true;
    handover.ended(share);
  }

  /** Requests what there is room for, or ends; called by the worker. */
  void tend() {
    Flow.Subscription theirs = subscription;
    try {
      if (ended) {
        tryToEnd();
      } else if (theirs != null) {
        long more = handover.reserve(share);
        if (more > 0) {
          theirs.request(more);
        }
      }
    } catch (RuntimeException | Error thrown) { // By the publisher.
      onError(thrown);
    }
  }

  private void tryToEnd() {
    if (failure != null) {
      cancel();
    }
    if (handover.release(this)) {
      complete(failure);
    }
  }

  /** Ends because the stream does; called by the worker. */
  void endWith(Throwable cause) {
    cancel();
    complete(cause);
  }

  private void cancel() {
    Flow.Subscription theirs = subscription;
    if (theirs == null || cancelled) {
      return;
    }
    cancelled = true;
    try {
      theirs.cancel();
    } catch (RuntimeException | Error thrown) {
      failure = failure == null ? thrown : failure;
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
