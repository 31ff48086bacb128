// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one index file, of which those in use are in the frames of a {@link BufferPool}.
 *
 * <p>What is in the file changes in checkpoints. {@link #flush} writes all changed pages and then
 * the header, which says that the file is clean. Before the first page is written after that, the
 * header says that the file is changing: {@link #beforeWriting}, through which every write of a
 * page goes.
 */
final class FilePageStore extends PooledPageStore {
  private final FileSpace space;
  private final Runnable atEnd;

  /**
   * The file's header as it was last written; under the lock of the frames where it is replaced.
   */
  private FileHeader header;

  private final long[] meta;

  /**
   * Makes a store over an open file.
   *
   * @param header of the file; written already
   * @param free numbers of the free pages
   * @param atEnd what is to be done after the file was closed
   */
  FilePageStore(
      PageFile file,
      BufferPool pool,
      FileHeader header,
      int[] free,
      boolean readOnly,
      boolean readsAhead,
      Runnable atEnd) {
    super(file, pool, new StoreCondition(file.path(), readOnly), header.top(), readsAhead);
    this.space = new FileSpace(file, header, free);
    this.header = header;
    this.atEnd = atEnd;
    this.meta = header.metaWords();
  }

  // ---------------------------------------------------------------- for the pool

  @Override
  long position(int page) {
    return isInUse(page) ? space.position(page) : -1;
  }

  @Override
  long seal(MemorySegment copies, long at, int page) {
    PageSeal.set(copies, at, pageBytes(), page, header.fileId());
    return space.position(page);
  }

  @Override
  void noteWritten(int page, long position, int checksum) {
    // The page is where it always was.
  }

  @Override
  @Nullable PageFileException fault(MemorySegment memory, long offset, int page) {
    String fault = PageSeal.fault(memory, offset, pageBytes(), page, header.fileId());
    return fault == null ? null : new CorruptPageException(file.path(), page, fault);
  }

  @Override
  void checkPage(long page) {
    checkUsable();
    if (page < 1 || page > space.numbers().top() || !isInUse((int) page)) {
      throw new CorruptPageException(
          file.path(), page, "is not in use, but another page leads there");
    }
  }

  /**
   * Makes sure that the file does not claim to be clean: called before any page is written. A
   * page's contents as of the last {@link #flush} are still in the file then.
   *
   * @throws PageFileException if the header can't be written
   */
  @Override
  void beforeWriting() {
    frames.lock.lock();
    try {
      if (header.isClean()) {
        writeHeader(header.changing());
      }
    } catch (PageFileException e) {
      throw noteFailure(e);
    } finally {
      frames.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- pages

  @Override
  public long[] meta() {
    return meta;
  }

  @Override
  public int allocate() {
    beforeChange();
    int page = space.numbers().next();
    makeRoom(page, 1);
    pool.waves.addFresh(this, page);
    take(page, 1);
    return page;
  }

  @Override
  public int allocate(int count) {
    beforeChange();
    int first = space.numbers().next(count);
    makeRoom(first, count);
    take(first, count);
    return first;
  }

  private void take(int first, int count) {
    space.numbers().take(first, count);
    changed = true;
  }

  /** Makes room in the file, and in the table of frames, for pages that are given out next. */
  private void makeRoom(int first, int count) {
    space.makeRoom(first, count);
    enlargeTable(first + count - 1);
  }

  /** Also if no more changes are taken: one that failed gives back what it had allocated. */
  @Override
  public void free(int page) {
    condition.checkWritable();
    if (isInUse(page)) {
      pool.waves.discard(this, page);
    }
    space.numbers().giveBack(page);
    changed = true;
  }

  @Override
  public void clear() {
    beforeChange();
    pool.waves.forget(this);
    changed = true;
    space.numbers().clear();
    Arrays.fill(meta, 0);
  }

  @Override
  public int pagesInUse() {
    return space.numbers().inUse();
  }

  /** What room there is, only the device knows; a file has numbers for so many. */
  @Override
  public boolean hasRoom(long extent, long more) {
    return space.hasNumbers(extent + more);
  }

  @Override
  public boolean isInUse(int page) {
    return space.numbers().isInUse(page);
  }

  @Override
  public void leftHalfway(Throwable cause) {
    condition.noteHalfway(cause);
    pool.waves.forget(this);
  }

  @Override
  public synchronized void flush() {
    checkUsable();
    if (condition.isReadOnly() || (!changed && header.isClean())) {
      return;
    }
    beforeChange();
    try {
      pool.writeBack.writeAll(this);
      beforeWriting();
      int[] free = space.numbers().freePages();
      FreePages.write(file, space, header.fileId(), free);
      file.force();
      writeHeader(header.clean(space.numbers().top(), free.length, meta));
      changed = false;
    } catch (PageFileException e) {
      throw noteFailure(e);
    }
  }

  private void writeHeader(FileHeader next) {
    next.writeTo(file);
    header = next;
  }

  /**
   * Flushes what was changed, unless it can't be, and closes the file. A second call does nothing.
   *
   * @throws PageFileException if changes are lost, because they can't be written or one failed
   *     halfway; the file, which is closed all the same, says in the latter case that it is not
   *     clean
   */
  @Override
  public synchronized void close() {
    if (isClosed()) {
      return;
    }
    PageFileException loss = condition.loss();
    try {
      if (loss == null) {
        flush();
      } else if (condition.isHalfway()) {
        sayUnclean(loss);
      }
    } finally {
      condition.noteClosed();
      release();
    }
    if (loss != null) {
      throw loss;
    }
  }

  /** Lets the header say that the file is not clean, which can do no more than fail as well. */
  private void sayUnclean(PageFileException loss) {
    try {
      beforeWriting();
    } catch (RuntimeException failed) {
      loss.addSuppressed(failed);
    }
  }

  private void release() {
    try {
      pool.waves.forget(this);
      pool.leave(this);
    } finally {
      try {
        file.close();
      } finally {
        atEnd.run();
      }
    }
  }
}
