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
 * Indexes that live in one file, and survive a crash: of the program, of the system, of the power.
 *
 * <p>What is written goes to a log beside the file, and is safe from then on that the store's
 * {@link Durability} says; by default when {@link #commit} returns. From time to time a checkpoint
 * writes all that has changed to places in the file that nothing else needs, so that whatever
 * happens, the file holds one checkpoint that is whole, and the log what follows it. Opening a
 * store brings both together. What survives is always all that was written up to some moment: in
 * order, and never a batch in part.
 *
 * <p><b>Threads.</b> Any number of threads may use a store, and write to its indexes: writers take
 * turns. To read an index while others write to it, take it {@linkplain LongIndex#withReadWriteLock
 * with a lock}.
 *
 * <p><b>Errors.</b> A full disk refuses a write ({@link dev.espalier.memory.MemoryLimitException})
 * and loses nothing; it goes on when there is room. When a write to the device or a force fails,
 * the store takes no more changes and says why; reading goes on, and opening it again recovers all
 * that was acknowledged.
 */
public final class IndexStore implements AutoCloseable {
  /** Most bytes of a note. */
  public static final int MOST_NOTE_BYTES = 4096;

  /** Most indexes that a store has ever had. */
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
   * @param atEnd what is to be done after its files were closed
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
   * Opens the store in a file, or makes one. After a crash this recovers what is in the log, which
   * takes a second for some millions of writes.
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
   * Opens the store in a file, or makes one, as {@link #open(Path, StoreOptions)}.
   *
   * @param listener told after each file of the log that was recovered how many bytes of it were
   * @throws java.util.concurrent.CancellationException if the listener cancels; the files are as
   *     before, but for pages that nothing refers to
   */
  public static IndexStore open(Path path, StoreOptions options, ProgressListener listener) {
    return new StoreOpening(path, options, StoreEnvironment.of(options.files()), listener).open();
  }

  /**
   * Returns the files of a store that are there: its own, while it is open or was not closed those
   * of its log, and what an interrupted making has left. Further stripes are not among them.
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
   * Opens an index, or makes one with the tree of the store's options. It is open until it, or the
   * store, is closed; opened twice, it is the same one.
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
   * dev.espalier.prefix.PrefixBPlusTree} with the pages of this store. It is open until it, or the
   * store, is closed; opened twice, it is the same one.
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

  /** Returns the one index that {@link Espalier} has made, or makes it; closing it closes all. */
  LongIndex only() {
    return only(
        () ->
            index(
                Espalier.NAME,
                state.options.files().variant().orElseGet(() -> knownVariant(Espalier.NAME))));
  }

  /** Does as {@link #only} does, with an index of byte strings. */
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
   * Removes an index with all its entries, for good when this returns. It must not be in use.
   *
   * @return whether there was one
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
   * Makes the writes of a batch, to one or more indexes of this store. After a crash all of them
   * are there, or none.
   *
   * @throws IllegalArgumentException if an index is none of this store's
   * @throws dev.espalier.memory.MemoryLimitException if the device has no room for them; nothing
   *     has changed then
   */
  public void write(WriteBatch batch) {
    batches.write(batch);
  }

  /**
   * Waits until all that was written so far is safe from a crash.
   *
   * @throws PageFileException if it may not be, because the device failed
   */
  public void commit() {
    state.condition.checkUsable();
    writer.commit();
  }

  /**
   * Commits, as {@link #commit()}, and keeps a few bytes of the caller's that belong to it, such as
   * the offset of a stream: after a crash {@link #note} is the one that belongs to what is there.
   *
   * @param note at most {@link #MOST_NOTE_BYTES}
   */
  public void commit(byte[] note) {
    if (note.length > MOST_NOTE_BYTES) {
      throw new IllegalArgumentException(
          "note has %d bytes; at most %d are kept".formatted(note.length, MOST_NOTE_BYTES));
    }
    writer.note(note.clone());
    writer.commit();
  }

  /** Returns the note of the last commit that had one, empty if there was none. */
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
   * Makes a checkpoint now, as the store does by itself from time to time: opening it again after a
   * crash will take no longer than opening it does.
   */
  public void checkpoint() {
    state.condition.checkUsable();
    checkpoints.make(false);
  }

  // ---------------------------------------------------------------- the whole

  /**
   * Keeps all indexes as they are now, to be read while writing goes on. Takes as long as a
   * checkpoint, unless nothing was written since the last one.
   *
   * @throws PageFileException if there is no room for a checkpoint, or the device fails
   * @throws IllegalStateException if the store takes no more changes and has some that are in no
   *     checkpoint
   */
  public Snapshot snapshot() {
    return Snapshot.take(state, checkpoints);
  }

  /** Copies the store, as {@link #backup(Path, ProgressListener)}. */
  public void backup(Path target) {
    backup(target, ProgressListener.NONE);
  }

  /**
   * Copies all indexes and the note, as they are now, into a store in another file, while writing
   * goes on. The copy is safe from a crash when this returns; it is one file even where this store
   * is spread over several. O(pages); takes no room in the pool.
   *
   * @param target a file that is not there. If this ends by an exception, it is not there either
   * @param listener told how many pages were copied; may write to this store
   * @throws PageFileException if the file is there, can't be written or has no room
   * @throws CorruptPageException if a page of this store is damaged
   * @throws IllegalArgumentException if the path is not one of the system's own file system
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  public void backup(Path target, ProgressListener listener) {
    state.condition.checkUsable();
    new Backup(state, target, listener).write(checkpoints);
  }

  /** Makes the file shorter, as {@link #shrink(ProgressListener)}. */
  public long shrink() {
    return shrink(ProgressListener.NONE);
  }

  /**
   * Makes the file as short as what is in it allows, while reading and writing go on: worth its
   * time after an index was dropped, or much was removed. Pages at the end of the file are moved to
   * free places before, and the end is given back. Places that a snapshot holds stay where they
   * are. Trees are not made more compact. {@link LongIndex#shrink} of one index does nothing, for
   * the file is that of all. O(pages), and two checkpoints or a few more.
   *
   * @param listener told how many pages were moved; may write to this store
   * @return the bytes given back
   * @throws PageFileException if there is no room for a checkpoint, or the device fails
   * @throws CorruptPageException if a page that is to be moved is damaged
   * @throws UnsupportedOperationException if the store is opened for reading only
   * @throws java.util.concurrent.CancellationException if the listener cancels; the store is sound
   */
  public long shrink(ProgressListener listener) {
    state.condition.checkTakesChanges();
    return new Compaction(state, checkpoints, listener).run();
  }

  /** Checks the store, as {@link #verify(ProgressListener)}. */
  public void verify() {
    verify(ProgressListener.NONE);
  }

  /**
   * Checks everything: headers, log, maps, places, the checksum of every page, of open snapshots as
   * well, and every invariant of every index. Reads all of the file and does not change it; writers
   * wait meanwhile. O(pages + entries).
   *
   * @param listener told how many pages were read; must not use this store
   * @throws dev.espalier.inspect.InvariantViolationException naming the first invariant that does
   *     not hold, by its number in the source of {@code StoreVerifier}, and the place
   * @throws IllegalArgumentException if an index that is not open has a tree of a geometry that
   *     neither its name nor the store's options tell; open it before
   * @throws PageFileException if the device fails, or has no room for a checkpoint that is under
   *     way
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

  /** Returns what its parts share. */
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
