// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one index file, of which those in use are in the frames of a {@link BufferPool}.
 *
 * <p>What is in the file changes in checkpoints. {@link #flush} writes all changed pages and then
 * the header, which says that the file is clean. Before the first page is written after that, the
 * header says that the file is changing: {@link #beforeOverwrite}, through which every write of a
 * page goes.
 */
final class FilePageStore implements PageStore {
  final PageFile file;
  private final BufferPool pool;
  private final Frames frames;
  private final FileSpace space;
  private final StoreCondition condition;
  private final Runnable atEnd;
  private final boolean readsAhead;

  /**
   * The file's header as it was last written; under the lock of the frames where it is replaced.
   */
  private FileHeader header;

  private final long[] meta;

  /** Whether anything is different from what the header says. */
  private boolean changed;

  /** By number of page its frame and 1, or 0. */
  private int[] frameOf;

  /** Pins that found their page. Several threads may miss some. */
  long hits;

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
    this.file = file;
    this.pool = pool;
    this.frames = pool.frames;
    this.space = new FileSpace(file, header, free);
    this.condition = new StoreCondition(file.path(), readOnly);
    this.header = header;
    this.readsAhead = readsAhead;
    this.atEnd = atEnd;
    this.meta = header.metaWords();
    this.frameOf = new int[Math.max(16, header.top() + 1)];
  }

  // ---------------------------------------------------------------- for the pool

  /** Returns where in the file a page is: asked for every read and every write of one. */
  long position(int page) {
    return space.position(page);
  }

  long fileId() {
    return header.fileId();
  }

  /** Returns the frame of a page, or {@link Frames#NONE}. */
  int frameOf(int page) {
    return frameOf[page] - 1;
  }

  void map(int page, int frame) {
    frameOf[page] = frame + 1;
  }

  void unmap(int page) {
    frameOf[page] = 0;
  }

  /** Returns what is wrong with a page that was read, or null. */
  @Nullable PageFileException fault(MemorySegment memory, long offset, int page) {
    String fault = PageSeal.fault(memory, offset, pageBytes(), page, header.fileId());
    return fault == null ? null : new CorruptPageException(file.path(), page, fault);
  }

  /** Tells whether pages can be pinned at all; once it is false, it stays so. */
  boolean isUsable() {
    return condition.isUsable();
  }

  /** Checks that pages can be pinned at all. */
  void checkUsable() {
    condition.checkUsable();
  }

  /** Checks that a page can be pinned. */
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
  void beforeOverwrite() {
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

  /** Takes no more changes, because changed pages could not be written. Returns the reason. */
  PageFileException noteFailure(RuntimeException cause) {
    return condition.noteFailure(cause);
  }

  // ---------------------------------------------------------------- pages

  @Override
  public MemorySegment segment() {
    return frames.memory();
  }

  @Override
  public long[] meta() {
    return meta;
  }

  @Override
  public long pin(int page) {
    if (page > 0 && page < frameOf.length) {
      int frame = frameOf[page] - 1;
      if (frame >= 0 && frames.tryPin(this, page, frame)) {
        hits++;
        return frames.offset(frame);
      }
    }
    return pinMissing(page);
  }

  private long pinMissing(int page) {
    long[] one = {Math.max(page, 0)};
    pool.waves.pinMissing(this, one, 0, 1);
    return one[0];
  }

  @Override
  public long pinFresh(int page) {
    beforeChange();
    if (frameOf(page) == Frames.NONE) {
      pool.waves.addFresh(this, page);
    }
    return pin(page);
  }

  @Override
  public void pinAll(long[] pages, int from, int count) {
    int missing = 0;
    for (int i = from; i < from + count; i++) {
      int page = (int) pages[i];
      int frame = page > 0 && page < frameOf.length ? frameOf[page] - 1 : Frames.NONE;
      if (frame >= 0 && frames.tryPin(this, page, frame)) {
        hits++;
        pages[i] = ~frames.offset(frame);
      } else {
        pages[i] = Math.max(page, 0);
        missing++;
      }
    }
    if (missing > 0) {
      pool.waves.pinMissing(this, pages, from, count);
      return;
    }
    for (int i = from; i < from + count; i++) {
      pages[i] = ~pages[i];
    }
  }

  @Override
  public void unpin(long offset, boolean pageChanged) {
    if (pageChanged) {
      changed = true;
    }
    frames.unpin(offset, pageChanged);
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
    int last = first + count - 1;
    if (last >= frameOf.length) {
      enlargeTable(last);
    }
  }

  /**
   * Under the lock, for a page of this store may have to make room for one of another meanwhile.
   */
  private void enlargeTable(int page) {
    frames.lock.lock();
    try {
      frameOf = Arrays.copyOf(frameOf, (int) Math.min(2L * page, Integer.MAX_VALUE - 8));
    } finally {
      frames.lock.unlock();
    }
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

  // ---------------------------------------------------------------- hints

  @Override
  public void readAhead(int[] pages, int from, int count) {
    if (readsAhead) {
      pool.waves.readAhead(this, pages, from, count);
    }
  }

  @Override
  public void wontNeed(int page) {
    hintUnneeded(page, true);
  }

  @Override
  public void willFree(int page) {
    hintUnneeded(page, false);
  }

  private void hintUnneeded(int page, boolean evenIfChanged) {
    frames.lock.lock();
    try {
      pool.replacement.wontNeed(this, page, evenIfChanged);
    } finally {
      frames.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- facts

  @Override
  public int pageBytes() {
    return frames.pageBytes();
  }

  @Override
  public int mostPins() {
    return pool.mostPins();
  }

  /** Returns false: a page that is not pinned may have to make room for another. */
  @Override
  public boolean pagesStay() {
    return false;
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

  /** Returns the bytes of the pool, which others may share. */
  @Override
  public long committedBytes() {
    return pool.bytes();
  }

  @Override
  public boolean hugePagesGranted() {
    return pool.hasHugePages();
  }

  @Override
  public Path file() {
    return file.path();
  }

  @Override
  public boolean isClosed() {
    return condition.isClosed();
  }

  // ---------------------------------------------------------------- changes

  @Override
  public void beforeChange() {
    condition.checkTakesChanges();
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
      beforeOverwrite();
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
      beforeOverwrite();
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
