// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.sort.EntrySorter;
import dev.espalier.sort.SortOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;

/** Sorts rows, and at the end of the input makes an index file of them in one go. */
final class IndexFileSink implements Sink<RowData>, SupportsWriterState<RowData, Long> {
  private static final long serialVersionUID = 1;

  private final TableFile file;
  private final int keyField;

  IndexFileSink(TableFile file, int keyField) {
    this.file = file;
    this.keyField = keyField;
  }

  @Override
  public SinkWriter<RowData> createWriter(WriterInitContext context) {
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
    private final EntrySorter sorter = EntrySorter.create(SortOptions.DEFAULT);
    private boolean isDone;

    @Override
    public void write(RowData row, Context context) throws IOException {
      for (int field = 0; field < 2; field++) {
        if (row.isNullAt(field)) {
          throw new IOException(
              "%s: the %s of a row is null, and an index file has no nulls"
                  .formatted(file.path(), field == keyField ? "key" : "value"));
        }
      }
      sorter.add(row.getLong(keyField), row.getLong(1 - keyField));
    }

    @Override
    public void flush(boolean endOfInput) throws IOException {
      if (endOfInput && !isDone) {
        isDone = true;
        publish();
      }
    }

    private void publish() throws IOException {
      Path next = file.newName();
      try {
        FileOptions options = FileOptions.DEFAULT.withFlags(FileOption.MUST_BE_NEW);
        try (LongIndex index = Espalier.open(next, options)) {
          index.bulkload(
              sorter.sorted(ProgressListener.NONE), 1.0, sorter.added(), ProgressListener.NONE);
        }
        file.replaceBy(next);
      } finally {
        Files.deleteIfExists(next);
      }
    }

    /** Returns how many rows would be missing if another writer went on from here. */
    @Override
    public List<Long> snapshotState(long checkpointId) {
      return List.of(sorter.added());
    }

    @Override
    public void close() {
      sorter.close();
    }
  }

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
