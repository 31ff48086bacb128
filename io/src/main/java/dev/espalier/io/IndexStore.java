// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

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
 * <p><b>Threads.</b> Any number of threads may use a store and write to its indexes; writers take
 * turns. To read an index while others write to it, use it {@linkplain LongIndex#withReadWriteLock
 * with a lock}.
 *
 * <p><b>Errors.</b> A full disk refuses a write ({@link dev.espalier.memory.MemoryLimitException})
 * and loses nothing; writing goes on when there is room. When a write to the device or a force
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
  private final Background background;
  private final RecoveryReport recovery;
  private final Runnable atEnd;

  private Consumer<String> whenIndexCloses = this::closeIndex;

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
    this.recovery = recovery;
    this.atEnd = atEnd;
    this.background = new Background(state, checkpoints);
    if (state.environment.inBackground() && !state.condition.isReadOnly()) {
      background.start();
    }
  }

  /** Opens the store in a file, or makes one, with default options. */
  public static IndexStore open(Path path) {
    return open(path, StoreOptions.DEFAULT);
  }

  /**
   * Opens the store in a file, or makes one. After a crash, this recovers what is in the log, which
   * takes a second for a few million writes.
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
    return LogFiles.all(new SystemFiles(PageFiles.BEST, PageFiles.BEST), path);
  }

  // ---------------------------------------------------------------- indexes

  /** Returns the names of all indexes, in the order in which they were made. */
  public List<String> names() {
    state.writing.lock();
    try {
      state.condition.checkUsable();
      return List.copyOf(state.indexes.keySet());
    } finally {
      state.writing.unlock();
    }
  }

  /**
   * Opens an index, or makes one with the tree of the store's options. The index stays open until
   * it or the store is closed; opening it again meanwhile returns the same object.
   *
   * @throws PageFileException if a new one can't be made durable
   */
  public LongIndex index(String name) {
    TreeVariant known = knownVariant(name);
    return index(name, known);
  }

  private TreeVariant knownVariant(String name) {
    state.writing.lock();
    try {
      IndexPages pages = state.indexes.get(Objects.requireNonNull(name, "name"));
      return pages == null
          ? state.newVariant()
          : state.variant(state.checkHasLongs(name, pages.codecs, pages.kind));
    } finally {
      state.writing.unlock();
    }
  }

  /**
   * Opens an index, or makes one, with a given tree.
   *
   * @throws IllegalArgumentException if the index has another tree, or the name is empty or longer
   *     than 200 characters, or the tree does not live in pages
   */
  public LongIndex index(String name, TreeVariant variant) {
    checkpoints.lock.lock();
    state.writing.lock();
    try {
      state.condition.checkUsable();
      IndexPages pages = state.indexes.get(name);
      if (pages != null && !pages.kind.equals(variant.name())) {
        throw new IllegalArgumentException(
            "variant is %s, but index '%s' of %s is a %s"
                .formatted(variant.name(), name, state.path, pages.kind));
      }
      if (state.open.get(name) instanceof StoreIndex open) {
        return open;
      }
      if (pages != null) {
        return open(pages, variant);
      }
      if (variant.medium() != TreeVariant.Medium.PAGES) {
        throw new IllegalArgumentException(
            "variant is " + variant.name() + ", which does not live in pages");
      }
      return make(name, variant.name(), Catalogue.LONG_CODECS, made -> open(made, variant));
    } finally {
      state.writing.unlock();
      checkpoints.lock.unlock();
    }
  }

  /**
   * Opens an index whose keys and values are byte strings, or makes one: a {@link
   * dev.espalier.prefix.PrefixBPlusTree} with the pages of this store. The index stays open until
   * it or the store is closed; opening it again meanwhile returns the same object.
   *
   * @throws IllegalArgumentException if the index has longs, or the name is empty or longer than
   *     200 characters
   * @throws PageFileException if a new one can't be made durable
   */
  public BytesIndex bytesIndex(String name) {
    checkpoints.lock.lock();
    state.writing.lock();
    try {
      state.condition.checkUsable();
      IndexPages pages = state.indexes.get(Objects.requireNonNull(name, "name"));
      if (pages == null) {
        return make(name, StoreBytesIndex.KIND, Catalogue.BYTES_CODECS, this::openBytes);
      }
      state.checkHasByteStrings(name, pages.codecs, pages.kind);
      return state.open.get(name) instanceof StoreBytesIndex open ? open : openBytes(pages);
    } finally {
      state.writing.unlock();
      checkpoints.lock.unlock();
    }
  }

  private StoreBytesIndex openBytes(IndexPages pages) {
    StoreBytesIndex index =
        state.openBytes(pages, writer, () -> whenIndexCloses.accept(pages.name));
    state.open.put(pages.name, index);
    return index;
  }

  /**
   * Returns the one index that {@link Espalier} has made, or makes it; closing it closes the store.
   */
  LongIndex only() {
    return only(
        () ->
            index(
                Espalier.NAME,
                state.options.files().variant().orElseGet(() -> knownVariant(Espalier.NAME))));
  }

  /** Does the same as {@link #only}, with an index of byte strings. */
  BytesIndex onlyBytes() {
    return only(() -> bytesIndex(Espalier.NAME));
  }

  private <T> T only(Supplier<T> index) {
    checkpoints.lock.lock();
    state.writing.lock();
    try {
      if (!state.indexes.containsKey(Espalier.NAME)
          && (!state.indexes.isEmpty() || state.condition.isReadOnly())) {
        throw new PageFileException(
            state.path,
            "is a store with the indexes %s; open it as an IndexStore"
                .formatted(state.indexes.keySet()),
            PageFileException.NO_ERRNO);
      }
      whenIndexCloses = _ -> close();
      return index.get();
    } finally {
      state.writing.unlock();
      checkpoints.lock.unlock();
    }
  }

  private StoreIndex open(IndexPages pages, TreeVariant variant) {
    StoreIndex index =
        state.openTree(pages, variant, writer, () -> whenIndexCloses.accept(pages.name));
    state.open.put(pages.name, index);
    return index;
  }

  private <T extends OpenIndex> T make(
      String name, String kind, String codecs, Function<IndexPages, T> open) {
    state.condition.checkTakesChanges();
    if (name.isEmpty() || name.length() > 200) {
      throw new IllegalArgumentException(
          "name is '" + name + "'; it must have from 1 to 200 characters");
    }
    if (state.nextId == MOST_INDEXES) {
      throw new IllegalStateException(
          state.path + ": has had the most indexes that a store can have, " + MOST_INDEXES);
    }
    IndexPages pages = new IndexPages(state.nextId++, name, kind, codecs, state.pageBytes());
    state.indexes.put(name, pages);
    try {
      T index = open.apply(pages);
      writer.skip();
      return index;
    } catch (RuntimeException | Error failed) {
      OpenIndex index = state.open.remove(name);
      if (index != null) {
        index.pages().close();
      }
      state.indexes.remove(name);
      throw failed;
    }
  }

  /**
   * Closes an index: its pages make room for others, and its next opening finds them as they are.
   */
  private void closeIndex(String name) {
    checkpoints.lock.lock();
    state.writing.lock();
    try {
      OpenIndex index = state.open.get(name);
      if (index == null) {
        return;
      }
      if (!state.condition.isReadOnly() && state.condition.loss() == null) {
        index.pages().flush();
        writer.commit();
      }
      state.open.remove(name);
      index.closeTree();
    } finally {
      state.writing.unlock();
      checkpoints.lock.unlock();
    }
  }

  /**
   * Removes an index with all its entries; when this returns, it is gone for good. The index must
   * not be in use.
   *
   * @return whether there was such an index
   */
  public boolean drop(String name) {
    checkpoints.lock.lock();
    state.writing.lock();
    try {
      state.condition.checkTakesChanges();
      IndexPages pages = state.indexes.remove(name);
      if (pages == null) {
        return false;
      }
      OpenIndex index = state.open.remove(name);
      if (index != null) {
        index.closeTree();
      }
      state.pool.frames.lock.lock();
      try {
        pages.map.clear(state.space);
      } finally {
        state.pool.frames.lock.unlock();
      }
      writer.skip();
      return true;
    } finally {
      state.writing.unlock();
      checkpoints.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- write

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
    state.writing.lock();
    try {
      state.condition.checkUsable();
      return state.note.clone();
    } finally {
      state.writing.unlock();
    }
  }

  /**
   * Makes a checkpoint now, as the store does by itself from time to time. Opening the store after
   * a crash then takes no longer than opening it otherwise does.
   */
  public void checkpoint() {
    state.condition.checkUsable();
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
   * @throws IllegalArgumentException if the path is not one of the system's own file system
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  public void backup(Path target, ProgressListener listener) {
    state.condition.checkUsable();
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
   * @throws PageFileException if the device fails, or has no room for a checkpoint under way
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  public void verify(ProgressListener listener) {
    checkpoints.lock.lock();
    state.writing.lock();
    try {
      state.condition.checkUsable();
      checkpoints.completePending();
      new StoreVerifier(state, checkpoints, listener).verify();
    } finally {
      state.writing.unlock();
      checkpoints.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- inspect

  /** Returns the file. */
  public Path path() {
    return state.path;
  }

  /** Returns what the parts of the store share. */
  StoreState state() {
    return state;
  }

  /** Returns what was done when the store was opened. */
  public RecoveryReport recovery() {
    return recovery;
  }

  /** Returns how large the store is, and what was done to it since it was opened. */
  public StoreStatistics statistics() {
    state.condition.checkUsable();
    StoreHeader header = state.header;
    return new StoreStatistics(
        header.checkpoint(),
        (long) state.space.room() * state.pageBytes(),
        (long) state.space.busyCount() * state.pageBytes(),
        state.log == null ? 0 : state.log.segments(),
        state.space.writtenCount() * state.pageBytes(),
        checkpoints.mapBytesWritten(),
        state.log == null ? 0 : state.log.appendedBytes(),
        state.log == null ? 0 : state.log.forces());
  }

  /** Tells whether {@link #close} was called. */
  public boolean isClosed() {
    return state.condition.isClosed();
  }

  /**
   * Makes a last checkpoint and closes the store with all its indexes. A second call does nothing.
   *
   * @throws PageFileException if the device failed, earlier or now: what was acknowledged is safe,
   *     and recovered when the store is opened again; the message says what may be lost
   */
  @Override
  public void close() {
    background.stop();
    checkpoints.lock.lock();
    state.writing.lock();
    try {
      if (state.condition.isClosed()) {
        return;
      }
      PageFileException loss = state.condition.loss();
      try {
        if (loss == null && !state.condition.isReadOnly()) {
          // They end now; on a full device the last checkpoint may need their places.
          List.copyOf(state.snapshots).forEach(Snapshot::close);
          checkpoints.make(true);
          state.log.delete(); // The file alone is all of a store that is closed.
        } else if (loss != null) {
          saveLog(loss);
        }
      } finally {
        release();
      }
      if (loss != null) {
        throw loss;
      }
    } finally {
      state.writing.unlock();
      checkpoints.lock.unlock();
    }
  }

  /** Lets the next opening find what was written before a change failed halfway. */
  private void saveLog(PageFileException loss) {
    try {
      writer.commit();
    } catch (RuntimeException failed) {
      loss.addSuppressed(failed);
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
    List.copyOf(state.snapshots).forEach(Snapshot::close);
    state.open.values().forEach(OpenIndex::closeTree);
    state.open.clear();
    try (AutoCloseable _ = atEnd::run;
        AutoCloseable _ = state.file;
        AutoCloseable _ = state.log) {
      // Closed in the opposite order, whatever becomes of one.
    } catch (RuntimeException failed) {
      throw failed;
    } catch (Exception failed) {
      throw new AssertionError(failed); // none of them has other exceptions
    }
  }
}
