// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import dev.espalier.KeyCodec;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.ValueCodec;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.bytes.TypedIndex;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Indexes that live in one file, and survive a crash of the program or of the system, or a power
 * failure.
 *
 * <p>Writes go to a log beside the file. The store's {@link Durability} says when they are safe: by
 * default, when {@link #commit} returns. From time to time, a checkpoint writes everything that has
 * changed to places in the file that nothing else needs. So whatever happens, the file holds one
 * complete checkpoint, and the log holds what follows it; opening a store brings the two together.
 * What survives is always everything that was written up to some moment, in order, and never part
 * of a batch.
 *
 * <p><b>Threads.</b> Any number of threads may use a store, and read and write its indexes. Writers
 * of one index take turns, and a reader waits while a write changes the same index, unless its tree
 * is one for many threads, as the default and that of byte strings are. Readers of values must not
 * write to the index that they read, nor may listeners and sources of entries, which are called
 * with its lock held; they are refused with {@link IllegalStateException}.
 *
 * <p><b>Errors.</b> A full disk refuses a write ({@link dev.espalier.memory.MemoryLimitException})
 * and loses nothing; writing goes on when there is room. Removals make some, and go on even then:
 * of a key, of a range, which may then be removed in parts, of everything, and in batches of up to
 * eight. They may be refused only while a snapshot is open. When a write to the device or a force
 * fails, the store takes no more changes and says why; reading goes on, and opening the store again
 * recovers everything that was acknowledged.
 */
public final class IndexStore implements AutoCloseable {
  /** The most bytes that a note may have. */
  public static final int MOST_NOTE_BYTES = 4096;

  /** The most indexes that a store may have over its whole life. */
  public static final int MOST_INDEXES = 1 << 15;

  private final StoreState state;
  private final Checkpoints checkpoints;
  private final StoreWriter writer;
  private final BatchWrites batches;
  private final StoreIndexes indexes;
  private final Background background;
  private final RecoveryReport recovery;
  private final Runnable atEnd;

  /**
   * Makes a store that is open.
   *
   * @param atEnd what to do after the files are closed
   */
  IndexStore(StoreState state, Checkpoints checkpoints, RecoveryReport recovery, Runnable atEnd) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.writer = new StoreWriter(state, checkpoints);
    this.batches = new BatchWrites(state, checkpoints, writer);
    this.indexes = new StoreIndexes(state, checkpoints, writer, this::close);
    this.recovery = recovery;
    this.atEnd = atEnd;
    this.background = new Background(state, checkpoints);
    if (state.environment.inBackground() && !state.condition.isReadOnly()) {
      background.start();
    }
  }

  /**
   * Opens the store in a file, or makes one, with default options. Its pages are in the {@linkplain
   * BufferPool pool that files share}, up to a quarter of the memory of the process; {@code
   * -Despalier.pool=2G} bounds it.
   */
  public static IndexStore open(Path path) {
    return open(path, StoreOptions.DEFAULT);
  }

  /**
   * Opens the store in a file, or makes one. After a crash, this recovers what the log has behind
   * its last checkpoint: a million writes take about a second, of byte strings two or three.
   *
   * @throws PageFileException if the file can't be opened, is open already, is no store of this
   *     version, or is damaged
   * @throws IllegalArgumentException if the file has pages of another size than the options or
   *     their pool ask for, or a path is not one of the system's own file system
   */
  public static IndexStore open(Path path, StoreOptions options) {
    return open(path, options, ProgressListener.NONE);
  }

  /**
   * Opens the store in a file, or makes one, as {@link #open(Path, StoreOptions)} does.
   *
   * @param listener told, after each recovered file of the log, how many bytes of the log were
   *     recovered
   * @throws java.util.concurrent.CancellationException if the listener cancels; the files are as
   *     before, except for pages that nothing refers to
   */
  public static IndexStore open(Path path, StoreOptions options, ProgressListener listener) {
    return new StoreOpening(path, options, StoreEnvironment.of(options.files()), listener).open();
  }

  /**
   * Returns the existing files of a store: its own file, the files of its log if it is open or was
   * not closed, and what is left if making it was interrupted. Further stripes are not among them.
   *
   * @throws PageFileException if the folder can't be read
   */
  public static List<Path> files(Path path) {
    return LogFiles.all(new SystemFiles(PageFiles.DIRECT, PageFiles.DIRECT), path);
  }

  // ---------------------------------------------------------------- indexes

  /** Returns the names of all indexes, in the order in which they were made. */
  public List<String> names() {
    return indexes.names();
  }

  /**
   * Opens an index, or makes one with the tree of the store's options. The index stays open until
   * it or the store is closed; opening it again meanwhile returns the same object. Making one is a
   * write like any other: the store's {@link Durability} says when it is safe.
   *
   * @throws PageFileException if the log has no room for a new one, or the device fails
   * @throws dev.espalier.memory.MemoryLimitException if the device has no room for a new one
   */
  public LongIndex index(String name) {
    return indexes.index(name, CodecMarks.NONE);
  }

  /**
   * Opens an index, or makes one, with a given tree.
   *
   * @throws IllegalArgumentException if the index has another tree, or the name is empty or longer
   *     than 200 characters, or the tree does not live in pages
   */
  public LongIndex index(String name, TreeVariant variant) {
    return indexes.index(name, variant, CodecMarks.NONE);
  }

  /**
   * Opens an index whose keys and values are byte strings, or makes one: a {@link
   * dev.espalier.prefix.ConcurrentPrefixBPlusTree} with the pages of this store. The index stays
   * open until it or the store is closed; opening it again meanwhile returns the same object.
   *
   * @throws IllegalArgumentException if the index has longs, or the name is empty or longer than
   *     200 characters
   * @throws PageFileException if the log has no room for a new one, or the device fails
   * @throws dev.espalier.memory.MemoryLimitException if the device has no room for a new one
   */
  public BytesIndex bytesIndex(String name) {
    return indexes.bytesIndex(name, CodecMarks.NONE);
  }

  /**
   * Opens an index whose keys and values are byte strings, with their codecs, or makes one that
   * remembers the codecs' {@linkplain CodecMarks marks}: in all else as {@link #bytesIndex} does.
   *
   * @throws IllegalArgumentException if the index was made with other codecs, and remembers them;
   *     the message names them. One that {@link #bytesIndex} has made remembers none
   */
  public <K, V> TypedIndex<K, V> typedIndex(
      String name, BytesKeyCodec<K> keyCodec, BytesValueCodec<V> valueCodec) {
    CodecMarks marks = TypedIndex.marks(keyCodec, valueCodec);
    return indexes.bytesIndex(name, marks).typed(keyCodec, valueCodec);
  }

  /**
   * Opens a secondary index, or makes one that remembers the codec of its keys, as {@link
   * #typedIndex} does.
   *
   * @throws IllegalArgumentException if the index was made for something else, or with another
   *     codec, as far as it remembers that or its first entry tells
   */
  public <K> SecondaryIndex<K> secondaryIndex(String name, BytesKeyCodec<K> codec) {
    return SecondaryIndex.over(indexes.bytesIndex(name, SecondaryIndex.marks(codec)), codec);
  }

  /**
   * Opens an index of longs as a map with codecs, or makes one that remembers the codecs, as {@link
   * #typedIndex} does; its tree is that of the store's options. Its writes are those of {@link
   * #index(String)}, which returns the index below the map.
   *
   * @throws IllegalArgumentException if the index was made with other codecs, and remembers them;
   *     the message names them. One that {@link #index} has made remembers none
   */
  public <K, V> ConcurrentNavigableMap<K, V> map(
      String name, KeyCodec<K> keyCodec, ValueCodec<V> valueCodec) {
    CodecMarks marks = CodecMarks.of(keyCodec, valueCodec);
    return indexes.index(name, marks).asMap(keyCodec, valueCodec);
  }

  /**
   * Returns the one index that {@link Espalier} has made, or makes it; closing it closes the store.
   */
  LongIndex only() {
    return indexes.only();
  }

  /** Does the same as {@link #only}, with an index of byte strings. */
  BytesIndex onlyBytes() {
    return indexes.onlyBytes();
  }

  /**
   * Removes an index with all its entries; when this returns, it is gone for good. Whoever still
   * uses it is told that it was dropped, by an {@link IllegalStateException}.
   *
   * @return whether there was such an index
   */
  public boolean drop(String name) {
    return indexes.drop(name);
  }

  // ---------------------------------------------------------------- write

  /**
   * Begins a transaction, which sees this moment. It must be closed, or else the collector does it.
   * Waits for writes under way, a bulkload among them, unless another transaction is open.
   *
   * @throws IllegalStateException if this thread is in the middle of a write
   */
  public Transaction begin(Isolation isolation) {
    state.condition.checkUsable();
    return new Transaction(state.transactions.indexesOf(this), batches, isolation, state);
  }

  /**
   * Does some work in a transaction, and commits. If that is refused for a conflict or old age, the
   * work is done again, in a new transaction; from the ninth time on, nobody else writes meanwhile.
   *
   * @param work must not end the transaction, nor write to the store without it
   * @return what the work has returned
   */
  public <T extends @Nullable Object> T transact(
      Isolation isolation, Function<Transaction, T> work) {
    return Attempts.transact(() -> begin(isolation), work, checkpoints.lock, state.gate);
  }

  /**
   * Makes the writes of a batch, to one or more indexes of this store. After a crash, either all of
   * them are there or none.
   *
   * @throws IllegalArgumentException if an index does not belong to this store
   * @throws dev.espalier.memory.MemoryLimitException if the device has no room for the writes;
   *     nothing has changed then
   */
  public void write(WriteBatch batch) {
    batches.write(batch);
  }

  /**
   * Waits until everything written so far is safe from a crash.
   *
   * @throws PageFileException if it may not be, because the device failed
   */
  public void commit() {
    state.condition.checkUsable();
    writer.commit();
  }

  /**
   * Commits, as {@link #commit()} does, and keeps a few bytes of the caller's with the commit, such
   * as the offset of a stream. After a crash, {@link #note} returns the note that belongs to what
   * is there.
   *
   * @param note at most {@link #MOST_NOTE_BYTES} bytes
   * @throws dev.espalier.memory.MemoryLimitException if the device has no room for the note
   * @throws PageFileException as {@link #commit()}
   */
  public void commit(byte[] note) {
    if (note.length > MOST_NOTE_BYTES) {
      throw new IllegalArgumentException(
          "note has %d bytes; at most %d are kept".formatted(note.length, MOST_NOTE_BYTES));
    }
    writer.note(note.clone());
    writer.commit();
  }

  /** Returns the note of the last commit that had one; empty if there was none. */
  public byte[] note() {
    state.gate.enterAlone();
    try {
      state.condition.checkUsable();
      return state.note.clone();
    } finally {
      state.gate.leaveAlone();
    }
  }

  /**
   * Makes a checkpoint now, as the store does by itself from time to time. Opening the store after
   * a crash then takes no longer than opening it otherwise does.
   *
   * @throws IllegalStateException if a source or listener of a bulkload calls this, as it must not
   *     call what else needs a checkpoint
   */
  public void checkpoint() {
    state.condition.checkUsable();
    state.transactions.checkNotWriting();
    checkpoints.make(false);
  }

  // ---------------------------------------------------------------- the whole

  /**
   * Keeps all indexes as they are now, so that they can be read while writing goes on. This takes
   * as long as a checkpoint, unless nothing was written since the last one.
   *
   * @throws PageFileException if there is no room for a checkpoint, or the device fails
   * @throws IllegalStateException if the store takes no more changes but has some that are in no
   *     checkpoint
   */
  public Snapshot snapshot() {
    state.transactions.checkNotWriting();
    return Snapshot.take(state, checkpoints);
  }

  /** Copies the store, as {@link #backup(Path, ProgressListener)} does. */
  public void backup(Path target) {
    backup(target, ProgressListener.NONE);
  }

  /**
   * Copies all indexes and the note, as they are now, into a store in another file, while writing
   * goes on. The copy is safe from a crash when this returns; it is one file even if this store is
   * spread over several. O(pages); takes no room in the pool.
   *
   * @param target a file that does not exist. If this throws an exception, it does not exist
   *     afterwards either
   * @param listener told how many pages were copied; may write to this store
   * @throws PageFileException if the file exists, can't be written or has no room
   * @throws CorruptPageException if a page of this store is damaged
   * @throws IllegalStateException if this store is closed meanwhile
   * @throws IllegalArgumentException if the path is not one of the system's own file system
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  public void backup(Path target, ProgressListener listener) {
    state.condition.checkUsable();
    state.transactions.checkNotWriting();
    new Backup(state, target, listener).write(checkpoints);
  }

  /** Makes the file shorter, as {@link #shrink(ProgressListener)} does. */
  public long shrink() {
    return shrink(ProgressListener.NONE);
  }

  /**
   * Makes the file as short as its contents allow, while reading and writing go on. This is worth
   * its time after an index was dropped, or much was removed. Pages at the end of the file are
   * moved to free places closer to its beginning, and the end is given back. Places that a snapshot
   * holds stay where they are. Trees are not made more compact. {@link LongIndex#shrink} does
   * nothing on an index of a store, because all indexes share the file. O(pages), and two
   * checkpoints or a few more.
   *
   * @param listener told how many pages were moved; may write to this store
   * @return the bytes given back
   * @throws PageFileException if there is no room for a checkpoint, or the device fails
   * @throws CorruptPageException if a page to be moved is damaged
   * @throws UnsupportedOperationException if the store was opened for reading only
   * @throws java.util.concurrent.CancellationException if the listener cancels; the store is sound
   */
  public long shrink(ProgressListener listener) {
    state.condition.checkTakesChanges();
    state.transactions.checkNotWriting();
    return new Compaction(state, checkpoints, listener).run();
  }

  /** Checks the store, as {@link #verify(ProgressListener)} does. */
  public void verify() {
    verify(ProgressListener.NONE);
  }

  /**
   * Checks everything: headers, log, maps, places, the checksum of every page, including those of
   * open snapshots, and every invariant of every index. Reads the whole file without changing it;
   * writers wait meanwhile. O(pages + entries).
   *
   * @param listener told how many pages were read; must not use this store
   * @throws dev.espalier.inspect.InvariantViolationException naming the first invariant that does
   *     not hold, by its number in the source of {@code StoreVerifier}, and the place
   * @throws IllegalArgumentException if an index that is not open has a tree whose geometry neither
   *     its name nor the store's options tell; open the index first
   * @throws IllegalStateException if a source or listener of a bulkload calls this: half of what is
   *     loaded would be taken for damage
   * @throws PageFileException if the device fails, or has no room for a checkpoint under way
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  public void verify(ProgressListener listener) {
    state.transactions.checkNotWriting();
    state.gate.enterAlone(checkpoints.lock);
    try {
      state.condition.checkUsable();
      checkpoints.completePending();
      new StoreVerifier(state, checkpoints, listener).verify();
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- inspect

  /** Returns the file. */
  public Path path() {
    return state.path;
  }

  /** Returns what opens the indexes. */
  StoreIndexes indexes() {
    return indexes;
  }

  /** Returns what the parts of the store share. */
  StoreState state() {
    return state;
  }

  /** Returns what each write goes through. */
  StoreWriter writer() {
    return writer;
  }

  /** Returns what was done when the store was opened. */
  public RecoveryReport recovery() {
    return recovery;
  }

  /** Returns how large the store is, and what was done to it since it was opened. */
  public StoreStatistics statistics() {
    state.condition.checkUsable();
    return StoreStatistics.of(state, checkpoints);
  }

  /** Tells whether {@link #close} was called. */
  public boolean isClosed() {
    return state.condition.isClosed();
  }

  /**
   * Makes a last checkpoint and closes the store with all its indexes. If much of the file is free,
   * pages are moved from its end, and that is given back: no more bytes than were logged since the
   * store was opened, and 256 MiB at most. A second call does nothing.
   *
   * @throws PageFileException if the device failed, earlier or now: what was acknowledged is safe,
   *     and so is everything else if the log can still be written; the next opening recovers it,
   *     and the message says what may be lost. Or if there is no room for the checkpoint: then
   *     everything is safe, unless the log has no room either, which a suppressed exception says.
   *     The files are closed in any case
   * @throws IllegalStateException if a source or listener of a bulkload calls this; then nothing is
   *     closed
   */
  @Override
  public void close() {
    state.transactions.checkNotWriting();
    background.stop();
    state.gate.enterAlone(checkpoints.lock);
    try {
      if (state.condition.isClosed()) {
        return;
      }
      ForEach.all(List.of(this::makeAllDurable, this::release), Runnable::run);
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }

  private void makeAllDurable() {
    if (state.condition.hasFailed()) {
      throw loss();
    }
    if (!state.condition.isReadOnly()) {
      // They end now; on a full device the last checkpoint may need their places.
      List.copyOf(state.snapshots).forEach(Snapshot::close);
      makeLastCheckpoint();
      state.log.delete(); // The file alone is all of a store that is closed.
    }
  }

  private void makeLastCheckpoint() {
    try {
      checkpoints.make(true);
      new Compaction(state, checkpoints, ProgressListener.NONE).runAtClose();
    } catch (NoSlotException full) {
      saveLog(full);
      throw full;
    } catch (PageFileException failed) {
      throw loss(); // It is noted that this has failed.
    } catch (Error failed) {
      saveLog(failed);
      throw failed;
    }
  }

  /** Lets the next opening find what was written, and is in no checkpoint. */
  private void saveLog(Throwable reason) {
    try {
      writer.commit();
    } catch (RuntimeException failed) {
      reason.addSuppressed(failed);
    }
  }

  /** Does the same for a store that has failed, and returns what is to be thrown. */
  private PageFileException loss() {
    try {
      writer.commit();
      return state.condition.loss(null);
    } catch (RuntimeException failed) {
      return state.condition.loss(failed);
    }
  }

  /** Closes the store, which can't be used; what then fails is added to the reason. */
  void closeAfter(Throwable reason) {
    try {
      close();
    } catch (RuntimeException second) {
      reason.addSuppressed(second);
    }
  }

  private void release() {
    state.condition.noteClosed();
    checkpoints.forgetPending();
    state.release(atEnd);
  }
}
