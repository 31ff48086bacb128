// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;

/** Collects rows, and at the end of the input puts new index files in the place of those before. */
final class IndexFileSink implements Sink<RowData>, SupportsWriterState<RowData, Long> {
  private static final long serialVersionUID = 1;

  /** For sorting, outside of the heap. */
  private static final long MEMORY_BYTES = 256L << 20;

  private static final long LEAST_MEMORY_BYTES = 1 << 20;

  private final TableFile file;
  private final TableFormat<?> format;

  IndexFileSink(TableFile file, TableFormat<?> format) {
    this.file = file;
    this.format = format;
  }

  @Override
  public SinkWriter<RowData> createWriter(WriterInitContext context) throws IOException {
    return new Writer();
  }

  /**
   * Returns a writer for a job that goes on from a checkpoint.
   *
   * @throws IOException if there were rows before it: they were in the memory of a writer that is
   *     gone
   */
  @Override
  public StatefulSinkWriter<RowData, Long> restoreWriter(
      WriterInitContext context, Collection<Long> rowsBefore) throws IOException {
    if (rowsBefore.stream().anyMatch(rows -> rows > 0)) {
      throw new IOException(
          file.path()
              + ": an index file is made of all rows at once and can't go on from a checkpoint;"
              + " run the job with 'execution.runtime-mode' = 'batch', or without checkpoints");
    }
    return new Writer();
  }

  @Override
  public SimpleVersionedSerializer<Long> getWriterStateSerializer() {
    return new RowCount();
  }

  private final class Writer implements StatefulSinkWriter<RowData, Long> {
    private final List<Shard> shards = new ArrayList<>();
    private long rows;
    private boolean isDone;

    Writer() throws IOException {
      long memoryBytes = Math.max(LEAST_MEMORY_BYTES, MEMORY_BYTES / file.shards());
      try {
        for (int number = 0; number < file.shards(); number++) {
          TableFile shard = file.shard(number);
          Path next = shard.newName();
          shards.add(new Shard(shard, next, format.collector(next, memoryBytes)));
        }
      } catch (IOException | RuntimeException | Error failed) {
        close();
        throw failed;
      }
    }

    @Override
    public void write(RowData row, Context context) throws IOException {
      int shard = 0;
      if (shards.size() > 1) {
        shard = format.shard(row, shards.size());
      }
      try {
        shards.get(shard).collector.add(row);
      } catch (IOException e) {
        throw new IOException(file.path() + ": " + e.getMessage(), e);
      }
      rows++;
    }

    @Override
    public void flush(boolean endOfInput) throws IOException {
      if (endOfInput && !isDone) {
        isDone = true;
        for (Shard shard : shards) {
          shard.collector.finish();
        }
        for (Shard shard : shards) {
          shard.file.replaceBy(shard.next);
        }
      }
    }

    /** Returns how many rows would be missing if another writer went on from here. */
    @Override
    public List<Long> snapshotState(long checkpointId) {
      return List.of(rows);
    }

    @Override
    public void close() throws IOException {
      for (Shard shard : shards) {
        shard.collector.close();
        Files.deleteIfExists(shard.next);
      }
    }
  }

  /**
   * One of the files.
   *
   * @param next what takes its place
   */
  private record Shard(TableFile file, Path next, RowCollector collector) {}

  private static final class RowCount implements SimpleVersionedSerializer<Long> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Long rows) {
      return ByteBuffer.allocate(Long.BYTES).putLong(rows).array();
    }

    @Override
    public Long deserialize(int version, byte[] serialized) {
      return ByteBuffer.wrap(serialized).getLong();
    }
  }
}
