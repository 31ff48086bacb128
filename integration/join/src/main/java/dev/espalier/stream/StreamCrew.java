// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.LongIndex;
import dev.espalier.batch.BufferOptions;
import dev.espalier.batch.BufferedAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a stream: one leads, and the others do what it says and have done it when it goes
 * on. Each has a part of the keys, so what is asked and changed of one key keeps its order.
 */
final class StreamCrew implements AutoCloseable {
  private final List<StreamPart> parts = new ArrayList<>();
  private final @Nullable ExecutorService others;

  /**
   * Makes the parts, and no thread yet.
   *
   * @param threads makes the workers beside the one that leads
   */
  StreamCrew(
      LongIndex index,
      ProbeStreamOptions options,
      GuardedConsumer consumer,
      KeptFailure kept,
      ThreadFactory threads) {
    int workers = options.workers();
    BufferOptions buffers =
        BufferOptions.DEFAULT
            .withMostWaiting(options.mostInside() + 1) // So that it never flushes by itself.
            .withInOrder(options.inOrder());
    try {
      for (int i = 0; i < workers; i++) {
        BufferedAccess access = BufferedAccess.over(index, buffers, consumer);
        parts.add(new StreamPart(access, i, workers, kept));
      }
    } catch (RuntimeException | Error failure) {
      parts.forEach(StreamPart::close);
      throw failure;
    }
    this.others = workers == 1 ? null : Executors.newFixedThreadPool(workers - 1, threads);
  }

  /**
   * Does something with each part, with as many threads as parts.
   *
   * @throws RuntimeException what it throws for one part, when the others have ended as well
   */
  void each(Consumer<StreamPart> task) {
    if (others == null) {
      task.accept(parts.getFirst());
      return;
    }
    List<Future<?>> begun = new ArrayList<>();
    Throwable failure = null;
    try {
      for (StreamPart part : parts.subList(1, parts.size())) {
        begun.add(others.submit(() -> task.accept(part)));
      }
      task.accept(parts.getFirst());
    } catch (RuntimeException | Error thrown) {
      failure = thrown;
    }
    for (Future<?> one : begun) {
      Throwable thrown = failureOf(one);
      failure = failure == null ? thrown : failure;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  /** Waits for the end. Only a consumer can have interrupted this thread: it means nothing here. */
  private static @Nullable Throwable failureOf(Future<?> task) {
    while (true) {
      try {
        task.get();
        return null;
      } catch (ExecutionException e) {
        return e.getCause();
      } catch (InterruptedException _) {
        // Goes on waiting.
      }
    }
  }

  /** Ends the workers, which have nothing to do, and frees the buffers. */
  @Override
  public void close() {
    if (others != null) {
      others.close();
    }
    parts.forEach(StreamPart::close);
  }
}
