// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.processor.StateRestoreCallback;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.FailureReason;
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

  /** How much goes into one batch of a commit; a test may have less. */
  CommitBatches.Limit batchLimit = CommitBatches.Limit.OF_A_BATCH;

  FileStateStore(String name) {
    this.name = name;
  }

  // ---------------------------------------------------------------- what a kind of store does

  /** Finds the indexes of the store, in its file. */
  abstract void openEntries(IndexStore opened, boolean holdsBack);

  /** Returns what Kafka is to call with records of the changelog. */
  abstract StateRestoreCallback restoreCallback();

  /** Sees to it that the store can be read and written: all that was restored is in its file. */
  void beforeUse() {}

  /**
   * Is asked before a commit whether what is there is not to be committed yet.
   *
   * @param changelogOffsets what would be committed
   */
  boolean defersCommit(Map<TopicPartition, Long> changelogOffsets) {
    return false;
  }

  /** Ends what is going on while the store is still open. */
  void beforeClose() {}

  /** Adds to the batches of a commit what is held back, unless it has expired. */
  abstract void addChanges(CommitBatches batches);

  /** Is called before a commit writes what is held back. */
  void beforeChanges() {}

  /**
   * Is called before a commit writes a batch that is followed by another. After a crash in between,
   * the replay of the changelog must make up for the rest.
   *
   * @param number of the batch in the commit, from 0
   */
  void beforePart(int number) {}

  /** Is told that what was added to the batches is stored. */
  abstract void forgetChanges();

  /** Returns about how many entries there are, what was restored included. */
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
    try {
      metrics = new StoreMetrics(stateStoreContext, this);
      stateStoreContext.register(root, restoreCallback());
    } catch (RuntimeException | Error failed) {
      close(); // Kafka does not: it has no such store.
      throw failed;
    }
  }

  private void open(Path path, long poolBytes, boolean holdsBack) {
    FileOptions options = SharedPool.acquire(poolBytes);
    try {
      IndexStore opened = IndexStore.open(path, StoreOptions.DEFAULT.withFiles(options));
      file = opened;
      byte[] note = opened.note();
      if (CommittedState.isUnfinished(note)) {
        opened.names().forEach(opened::drop);
      }
      state = CommittedState.read(note);
      openEntries(opened, holdsBack);
    } catch (RuntimeException | Error failed) {
      release();
      throw failed;
    }
    open = true;
  }

  final void checkOpen() {
    if (!open) {
      throw new InvalidStateStoreException("store " + name + " is closed");
    }
  }

  /** Checks that the store is open, and can be read and written. */
  final void checkUsable() {
    checkOpen();
    beforeUse();
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

  /** Returns where the file of the store is; it is open. */
  final Path folder() {
    return Objects.requireNonNull(folder);
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

  /** Makes durable what is held back, and with the last of it how far it is. */
  @Override
  public final void commit(Map<TopicPartition, Long> changelogOffsets) {
    checkOpen();
    if (defersCommit(changelogOffsets)) {
      return;
    }
    beforeChanges();
    CommitBatches batches = new CommitBatches(openFile(), batchLimit, this::beforePart);
    addChanges(batches);
    batches.end();
    forgetChanges();
    commitOffsets(changelogOffsets);
  }

  /** Commits the offsets of what is in the file already. */
  final void commitOffsets(Map<TopicPartition, Long> changelogOffsets) {
    state.offsets.putAll(changelogOffsets);
    openFile().commit(state.note());
  }

  /** Commits that from here to the next commit the entries are of no use. */
  final void commitUnfinished() {
    openFile().commit(CommittedState.unfinished());
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
        beforeClose();
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
      QueryResult<?> answer = answerOrFailure(query);
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

  /** As {@link #answer}; a failure is an answer, too, so that those of other partitions count. */
  private @Nullable QueryResult<?> answerOrFailure(Query<?> query) {
    try {
      return reading(() -> answer(query));
    } catch (RuntimeException e) {
      return QueryResult.forFailure(
          FailureReason.STORE_EXCEPTION, "store " + name + " failed to answer: " + e);
    }
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
