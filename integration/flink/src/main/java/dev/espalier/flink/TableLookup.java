// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/**
 * The files of a table as one task looks rows up in them. Of a table in several files those are
 * opened that are asked, so that a task which gets the rows of some shards has no others.
 *
 * @param <I> the kind of index
 */
final class TableLookup<I> implements Serializable {
  private static final long serialVersionUID = 1;

  private final TableFile file;
  private final TableFormat<I> format;
  private final Question<I> question;
  private transient @Nullable List<@Nullable Shard<I>> shards;

  private record Shard<I>(IndexTable<I> table, IndexTable<I>.Reader reader) {
    void close() {
      try {
        reader.close();
      } finally {
        table.release();
      }
    }
  }

  TableLookup(TableFile file, TableFormat<I> format, Question<I> question) {
    this.file = file;
    this.format = format;
    this.question = question;
  }

  /** Makes it ready; a table that is one file is opened. */
  void open(MetricGroup metrics) throws IOException {
    List<@Nullable Shard<I>> none = new ArrayList<>();
    for (int shard = 0; shard < file.shards(); shard++) {
      none.add(null);
    }
    shards = none;
    metrics.gauge("espalierRefreshes", () -> sum(IndexTable::refreshes));
    metrics.gauge("espalierFailedRefreshes", () -> sum(IndexTable::failedRefreshes));
    metrics.gauge("espalierOpenShards", () -> sum(_ -> 1L));
    if (file.shards() == 1) {
      shard(0);
    }
  }

  private synchronized long sum(ToLongFunction<IndexTable<I>> figure) {
    long sum = 0;
    if (shards != null) {
      for (Shard<I> shard : shards) {
        sum += shard == null ? 0 : figure.applyAsLong(shard.table);
      }
    }
    return sum;
  }

  private synchronized Shard<I> shard(int number) throws IOException {
    if (shards == null) {
      throw new IllegalStateException("the lookup is not open");
    }
    Shard<I> shard = shards.get(number);
    if (shard == null) {
      IndexTable<I> table = IndexTable.acquire(file.shard(number), format);
      shard = new Shard<>(table, table.reader());
      shards.set(number, shard);
    }
    return shard;
  }

  /** Returns the rows that a row of the join is to be joined with. */
  Collection<RowData> find(RowData brought) {
    if (!question.mayHaveAnswer(brought)) {
      return List.of();
    }
    try {
      Shard<I> shard = shard(file.shards() == 1 ? 0 : question.shard(brought, file.shards()));
      return question.answers(shard.reader.index(), brought);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives all files back, and throws what went wrong with any of them. */
  synchronized void close() {
    Throwable failure = null;
    if (shards != null) {
      for (Shard<I> shard : shards) {
        try {
          if (shard != null) {
            shard.close();
          }
        } catch (RuntimeException | Error failed) {
          failure = ExceptionUtils.firstOrSuppressed(failed, failure);
        }
      }
      shards = null;
    }
    if (failure != null) {
      ExceptionUtils.rethrow(failure);
    }
  }
}
