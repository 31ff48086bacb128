// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.batch.AnswerConsumer;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.memory.MemoryLimitException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a stream makes of the failures of others. */
final class ProbeStreamFailureTest extends StreamFixture {
  @Test
  void everyProbeIsAnsweredOnceThoughTheConsumerFails() throws InterruptedException {
    fill(1000);
    Map<Long, Integer> seen = new HashMap<>();
    AnswerConsumer failing =
        new AnswerConsumer.Bulk() {
          @Override
          public void values(
              long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
            for (int i = from; i < to; i++) {
              seen.merge(tags[i], 1, Integer::sum);
            }
            throw new ArithmeticException("values");
          }

          @Override
          public void entry(long tag, long key, long value) {
            throw new AssertionError("entry");
          }

          @Override
          public void end(long tag) {
            seen.merge(tag, 1, Integer::sum);
            throw new ArithmeticException("end");
          }
        };
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, failing)) {
      for (long i = 0; i < 1000; i++) {
        stream.get(i, i);
      }
      stream.range(0, 10, 1000);
      ProbeStreamException thrown = assertThrows(ProbeStreamException.class, stream::flush);
      assertInstanceOf(ArithmeticException.class, thrown.getCause());
      stream.flush(); // It was told once.
      assertEquals(1001, stream.statistics().answered());
    }
    assertEquals(1001, seen.size());
    assertTrue(seen.values().stream().allMatch(times -> times == 1));
  }

  @Test
  void closeTellsTheConsumersFailureAndClosesNevertheless() throws InterruptedException {
    ProbeStream stream =
        ProbeStream.over(
            index,
            PATIENT,
            (_, _, _, _) -> {
              throw new StackOverflowError();
            });
    stream.get(1, 1);
    ProbeStreamException thrown = assertThrows(ProbeStreamException.class, stream::close);
    assertInstanceOf(StackOverflowError.class, thrown.getCause());
    stream.close();
    assertThrows(IllegalStateException.class, () -> stream.get(1, 1));
  }

  @Test
  void failedUpdatesLeaveTheStreamUsable() throws InterruptedException {
    try (LongIndex small = BPlusTree.create(IndexOptions.DEFAULT.withMemoryLimit(1 << 16));
        ProbeStream stream = ProbeStream.over(small, PATIENT, log)) {
      for (long key = 0; key < 20_000; key++) {
        stream.put(key, key);
      }
      stream.get(0, 1);
      ProbeStreamException thrown = assertThrows(ProbeStreamException.class, stream::flush);
      assertInstanceOf(MemoryLimitException.class, thrown.getCause());
      stream.get(1, 2);
      stream.flush();
      assertEquals(Map.of(1L, List.of(0L), 2L, List.of(1L)), log.answers);
      assertEquals(20_002, stream.statistics().answered());
    }
  }

  @Test
  void streamFailsWhenItsIndexIsClosed() throws InterruptedException {
    fill(1000);
    ProbeStream stream = ProbeStream.over(index, PATIENT, log);
    stream.get(1, 1);
    index.close();
    for (long i = 0; i < 1000; i++) {
      try {
        stream.get(i, i);
      } catch (ProbeStreamException e) {
        break; // The stream may notice at any time.
      }
    }
    List<Executable> calls =
        List.of(stream::flush, () -> stream.get(1, 1), () -> stream.tryGet(1, 1), stream::close);
    for (Executable call : calls) {
      ProbeStreamException thrown = assertThrows(ProbeStreamException.class, call);
      assertInstanceOf(IllegalStateException.class, thrown.getCause());
    }
    stream.close();
    assertTrue(log.answers.isEmpty());
  }

  @Test
  void aStreamThatFailsTellsItAtOnce() throws Exception {
    fill(1000);
    ProbeStream stream = ProbeStream.over(index, PATIENT, log);
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    stream.end().whenComplete((_, failure) -> told.complete(failure));
    stream.get(1, 1);
    index.close();
    assertThrows(ProbeStreamException.class, stream::flush);
    Throwable failure = told.get(); // Nobody has closed the stream.
    assertInstanceOf(ProbeStreamException.class, failure);
    assertInstanceOf(IllegalStateException.class, failure.getCause());
    assertThrows(ProbeStreamException.class, stream::close);
  }

  @Test
  void aStreamThatIsClosedEnds() throws Exception {
    fill(1000);
    ProbeStream stream = ProbeStream.over(index, PATIENT, log);
    stream.get(1, 1);
    assertFalse(stream.end().isDone());
    stream.close();
    assertNull(stream.end().get());
    assertEquals(1, stream.statistics().answered());
  }

  @Test
  void consumerMayOfferProbesButNotWait() throws InterruptedException {
    fill(100);
    AtomicReference<ProbeStream> self = new AtomicReference<>();
    List<Throwable> refused = new ArrayList<>();
    AnswerConsumer.Bulk asking =
        (tags, keys, values, found, from, to) -> {
          log.values(tags, keys, values, found, from, to);
          if (tags[from] == 1) {
            assertTrue(self.get().tryGet(2, 2));
            refused.add(assertThrows(IllegalStateException.class, () -> self.get().get(3, 3)));
            refused.add(assertThrows(IllegalStateException.class, () -> self.get().flush()));
            refused.add(assertThrows(IllegalStateException.class, () -> self.get().close()));
            Thread.currentThread().interrupt(); // Does no harm either.
          }
        };
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, asking)) {
      self.set(stream);
      stream.get(4, 1);
      stream.flush();
      stream.flush();
    }
    assertEquals(Map.of(1L, List.of(12L), 2L, List.of(6L)), log.answers);
    assertEquals(3, refused.size());
  }
}
