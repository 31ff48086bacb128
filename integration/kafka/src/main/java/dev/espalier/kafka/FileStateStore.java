// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.processor.BatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.jspecify.annotations.Nullable;

/**
 * A state store in a file of its own: {@code espalier/NAME.esp} in the folder of its task. What is
 * committed is the entries, and with them how far they are; see {@link EspalierStores}.
 */
abstract class FileStateStore implements StateStore {
  private final String name;

  private @Nullable StateStoreContext context;
  private @Nullable StoreMetrics metrics;
  private @Nullable IndexStore file;
  private @Nullable Path folder;
  private CommittedState state = new CommittedState();
  private volatile boolean open;

  /** What is sorted to be loaded into a store without entries. */
  private volatile @Nullable Restoration restoration;

  /** Returns nanoseconds; a test may have another. */
  LongSupplier clock = System::nanoTime;

  FileStateStore(String name) {
    this.name = name;
  }

  // ---------------------------------------------------------------- what a kind of store does

  /** Finds the indexes of the store, in its file. */
  abstract void openEntries(IndexStore opened, boolean holdsBack);

  /** Returns whether there are no entries. */
  abstract boolean isEmpty();

  /** Hands records of the changelog on, each with the entries to which it belongs. */
  abstract void restore(Collection<KeyValue<byte[], byte[]>> records, RestoreTarget target);

  /** Adds to a batch what is held back. */
  abstract void addChanges(WriteBatch batch);

  /** Is told that what was added to the batch is stored. */
  abstract void forgetChanges();

  /** Returns about how many entries there are. */
  abstract long entryCount();

  /** Returns how many changes are held back. */
  abstract long heldBackCount();

  /** Returns the answer to a query, or null if the store has none for its type. */
  abstract @Nullable QueryResult<?> answer(Query<?> query);

  // ---------------------------------------------------------------- open

  @Override
  public void init(StateStoreContext stateStoreContext, StateStore root) {
    context = stateStoreContext;
    Map<String, Object> configuration = stateStoreContext.appConfigs();
    boolean holdsBack =
        StreamsConfig.EXACTLY_ONCE_V2.equals(
            configuration.get(StreamsConfig.PROCESSING_GUARANTEE_CONFIG));
    Path own = stateStoreContext.stateDir().toPath().resolve("espalier");
    try {
      Files.createDirectories(own);
    } catch (IOException e) {
      throw new ProcessorStateException("store " + name + " can't have the folder " + own, e);
    }
    folder = own;
    open(own.resolve(name + ".esp"), SharedPool.bytes(configuration), holdsBack);
    metrics = new StoreMetrics(stateStoreContext, this);
    BatchingStateRestoreCallback restoring = this::restoreOpen;
    stateStoreContext.register(root, restoring);
  }

  private void open(Path path, long poolBytes, boolean holdsBack) {
    FileOptions options =
        FileOptions.DEFAULT
            .withPageBytes(SharedPool.PAGE_BYTES)
            .withPool(SharedPool.acquire(poolBytes));
    try {
      IndexStore opened = IndexStore.open(path, StoreOptions.DEFAULT.withFiles(options));
      file = opened;
      state = CommittedState.read(opened.note());
      openEntries(opened, holdsBack);
    } catch (RuntimeException | Error failed) {
      release();
      throw failed;
    }
    open = true;
  }

  private void checkOpen() {
    if (!open) {
      throw new InvalidStateStoreException("store " + name + " is closed");
    }
  }

  /** Checks that the store is open, and sees to it that it has all entries that were restored. */
  final void checkUsable() {
    checkOpen();
    if (restoration != null) {
      loadRestored();
    }
  }

  // ---------------------------------------------------------------- restore

  private synchronized void restoreOpen(Collection<KeyValue<byte[], byte[]>> records) {
    checkOpen();
    if (restoration == null && isEmpty()) {
      restoration = new Restoration(Objects.requireNonNull(folder), clock);
    }
    if (restoration != null) {
      restore(records, restoration);
    } else {
      RestoreBatch batch = new RestoreBatch();
      restore(records, batch);
      batch.store();
    }
  }

  /** Stores what is sorted, and commits the offsets that belong to it. */
  private synchronized void loadRestored() {
    Restoration sorted = restoration;
    if (sorted != null) {
      sorted.load();
      sorted.close();
      state.offsets.putAll(sorted.offsets);
      openFile().commit(state.note());
      restoration = null;
    }
  }

  /**
   * Notes the offsets of what is being restored, or loads it if that takes too long.
   *
   * @return false if there is nothing that was not loaded
   */
  private synchronized boolean commitRestored(Map<TopicPartition, Long> changelogOffsets) {
    Restoration sorted = restoration;
    if (sorted == null) {
      return false;
    }
    sorted.offsets.putAll(changelogOffsets);
    if (sorted.hasTakenLong()) {
      loadRestored();
    }
    return true;
  }

  /** Loads what was restored if anything of it was committed; the rest comes again. */
  private synchronized void endRestoration() {
    try (Restoration sorted = restoration) {
      if (sorted != null && !sorted.offsets.isEmpty()) {
        loadRestored();
      }
    } finally {
      restoration = null;
    }
  }

  /** Reads, and says so if another thread has closed the store. */
  final <T extends @Nullable Object> T reading(Supplier<T> read) {
    checkOpen();
    try {
      return read.get();
    } catch (IllegalStateException e) {
      checkOpen();
      throw e;
    }
  }

  /** Returns what the next commit commits with the entries. */
  final CommittedState state() {
    return state;
  }

  final void countExpired() {
    if (metrics != null) {
      metrics.countExpired();
    }
  }

  // ---------------------------------------------------------------- commit

  /** Notes that the entries have what was made from the present record of the input. */
  final void notePosition() {
    if (context != null) {
      context
          .recordMetadata()
          .filter(record -> record.topic() != null) // It is null where time made the entries.
          .ifPresent(
              record ->
                  state.position.withComponent(
                      record.topic(), record.partition(), record.offset()));
    }
  }

  @Override
  @SuppressWarnings("deprecation") // Kafka asks until all of its own stores do so.
  public final boolean managesOffsets() {
    return true;
  }

  @Override
  public final @Nullable Long committedOffset(TopicPartition partition) {
    return state.offsets.get(partition);
  }

  /** Makes durable what is held back, and with the rest how far it is. */
  @Override
  public final void commit(Map<TopicPartition, Long> changelogOffsets) {
    checkOpen();
    if (commitRestored(changelogOffsets)) {
      return;
    }
    IndexStore store = openFile();
    WriteBatch batch = new WriteBatch();
    addChanges(batch);
    store.write(batch);
    forgetChanges();
    state.offsets.putAll(changelogOffsets);
    store.commit(state.note());
  }

  private IndexStore openFile() {
    if (file == null) {
      throw new InvalidStateStoreException("store " + name + " was not opened");
    }
    return file;
  }

  @Override
  public final void close() {
    if (open) {
      try {
        endRestoration();
      } finally {
        open = false;
        release();
      }
    }
  }

  private void release() {
    try {
      if (metrics != null) {
        metrics.close();
        metrics = null;
      }
      if (file != null) {
        file.close();
      }
    } finally {
      SharedPool.release();
    }
  }

  // ---------------------------------------------------------------- facts

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final boolean persistent() {
    return true;
  }

  @Override
  public final boolean isOpen() {
    return open;
  }

  @Override
  public final Position getPosition() {
    return state.position;
  }

  /** Returns about how many entries there are, each record that is not loaded counted. */
  final long entriesAndRestored() {
    Restoration sorted = restoration;
    return entryCount() + (sorted == null ? 0 : sorted.added());
  }

  /** Returns the bytes of the file, the log not counted. */
  final long fileBytes() {
    return openFile().statistics().fileBytes();
  }

  @Override
  @SuppressWarnings("unchecked") // A query says by its own type what its answer is.
  public final <R> QueryResult<R> query(Query<R> query, PositionBound bound, QueryConfig config) {
    long start = System.nanoTime();
    int partition = context == null ? 0 : context.taskId().partition();
    Position reached = state.position.copy();
    QueryResult<R> result;
    if (reaches(reached, bound.position(), partition)) {
      QueryResult<?> answer = reading(() -> answer(query));
      result =
          answer == null ? QueryResult.forUnknownQueryType(query, this) : (QueryResult<R>) answer;
    } else {
      result = QueryResult.notUpToBound(reached, bound, partition);
    }
    if (config.isCollectExecutionInfo()) {
      result.addExecutionInfo(
          "%s answered in %d ns".formatted(getClass().getName(), System.nanoTime() - start));
    }
    result.setPosition(reached);
    return result;
  }

  /** Tells whether a store has all of its partition that a bound asks for. */
  private static boolean reaches(Position position, Position bound, int partition) {
    for (String topic : bound.getTopics()) {
      Long asked = bound.getPartitionPositions(topic).get(partition);
      Long reached = position.getPartitionPositions(topic).get(partition);
      if (asked != null && (reached == null || reached < asked)) {
        return false;
      }
    }
    return true;
  }
}
