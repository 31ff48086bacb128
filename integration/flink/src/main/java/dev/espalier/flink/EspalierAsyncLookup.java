// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongIndex;
import dev.espalier.stream.ProbeStream;
import dev.espalier.stream.ProbeStreamException;
import dev.espalier.stream.ProbeStreamOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the rows of a lookup join, and answers them together: when there are as many as it was
 * told to gather, or when the first has waited for the response time. Made by the connector; public
 * for Flink only.
 */
public final class EspalierAsyncLookup extends AsyncLookupFunction {
  private static final long serialVersionUID = 1;

  private final TableFile file;
  private final LongFormat format;
  private final LongQuestion question;
  private final Duration responseTime;
  private final int mostRows;

  private transient @Nullable IndexTable<LongIndex> table;
  private transient IndexTable<LongIndex>.@Nullable Reader reader;
  private transient @Nullable ProbeStream stream;
  private transient @Nullable ConcurrentHashMap<Long, Request> waiting;
  private transient long nextTag;

  private record Request(RowData brought, CompletableFuture<Collection<RowData>> answer) {}

  /**
   * Creates the function.
   *
   * @param mostRows how many rows to gather; must be fewer than the operator lets wait at a time,
   *     or every row waits for the response time
   */
  EspalierAsyncLookup(
      TableFile file,
      LongFormat format,
      LongQuestion question,
      Duration responseTime,
      int mostRows) {
    this.file = file;
    this.format = format;
    this.question = question;
    this.responseTime = responseTime;
    this.mostRows = mostRows;
  }

  @Override
  public void open(FunctionContext context) throws IOException {
    IndexTable<LongIndex> opened = IndexTable.acquire(file, format);
    table = opened;
    context.getMetricGroup().gauge("espalierRefreshes", opened::refreshes);
    context.getMetricGroup().gauge("espalierFailedRefreshes", opened::failedRefreshes);
    IndexTable<LongIndex>.Reader first = opened.reader();
    reader = first;
    ConcurrentHashMap<Long, Request> requests = new ConcurrentHashMap<>();
    waiting = requests;
    stream = streamOver(first, requests);
  }

  private ProbeStream streamOver(
      IndexTable<LongIndex>.Reader current, ConcurrentHashMap<Long, Request> requests) {
    ProbeStream opened =
        ProbeStream.over(
            current.index(),
            ProbeStreamOptions.DEFAULT.withResponseTime(responseTime).withMostInside(mostRows),
            (tag, key, value, found) -> {
              Request request = requests.remove(tag);
              if (request != null) {
                request.answer.complete(
                    found ? question.answer(request.brought, value) : List.of());
              }
            });
    opened
        .end()
        .exceptionally(
            failure -> {
              fail(requests, failure);
              return null;
            });
    return opened;
  }

  @Override
  public CompletableFuture<Collection<RowData>> asyncLookup(RowData brought) {
    if (reader == null || waiting == null || stream == null) {
      throw new IllegalStateException("the lookup is not open");
    }
    if (!question.mayHaveAnswer(brought)) {
      return CompletableFuture.completedFuture(List.of());
    }
    if (reader.isBehind()) {
      stream.close(); // Answers what it has from the version before.
      stream = streamOver(reader, waiting);
    }
    CompletableFuture<Collection<RowData>> answer = new CompletableFuture<>();
    long tag = nextTag++;
    waiting.put(tag, new Request(brought, answer));
    try {
      stream.get(question.key(brought), tag);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.completeExceptionally(e);
    } catch (ProbeStreamException e) {
      fail(waiting, e);
    }
    return answer;
  }

  private static void fail(ConcurrentHashMap<Long, Request> requests, Throwable failure) {
    requests.values().forEach(request -> request.answer.completeExceptionally(failure));
    requests.clear();
  }

  /** Gives the file back, even if the stream has failed, and says so then. */
  @Override
  public void close() {
    try {
      if (stream != null) {
        stream.close();
      }
    } finally {
      stream = null;
      if (waiting != null) {
        fail(waiting, new IllegalStateException("the lookup is closed"));
      }
      closeTable();
    }
  }

  private void closeTable() {
    try {
      if (reader != null) {
        reader.close();
      }
    } finally {
      reader = null;
      if (table != null) {
        table.release();
        table = null;
      }
    }
  }
}
