// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageAllocation;
import dev.espalier.memory.PageStore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
  /** Most bytes by which a file grows at once; by an eighth of its length below that. */
  private static final long MOST_GROWTH_BYTES = 64L << 20;

  /** Fewest pages by which a file grows at once. */
  private static final int LEAST_GROWTH_PAGES = 16;

  final PageFile file;
  private final BufferPool pool;
  private final Runnable atEnd;
  private final boolean readOnly;
  private final boolean readsAhead;
  private final int pageShift;

  /** The file's header as it was last written; under the lock of the pool where it is replaced. */
  private FileHeader header;

  private final long[] meta;

  // ---- pages, as the tree knows them

  private final PageAllocation numbers;

  /** For how many pages there is room in the file. */
  private long roomFor;

  /** Whether anything is different from what the header says. */
  private boolean changed;

  // ---- pages, as the pool knows them

  /** By number of page its frame and 1, or 0. */
  private int[] frameOf;

  /** Pins that found their page. Several threads may miss some. */
  long hits;

  private volatile boolean closed;

  /** Why no change is taken any more, null if they are. */
  private volatile @Nullable PageFileException failure;

  /** Why nothing at all works any more: a change was left halfway. */
  private volatile @Nullable Throwable halfway;

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
    this.header = header;
    this.readOnly = readOnly;
    this.readsAhead = readsAhead;
    this.atEnd = atEnd;
    this.pageShift = pool.pageShift();
    this.meta = header.metaWords();
    this.numbers = new PageAllocation(header.top(), free);
    this.frameOf = new int[Math.max(16, header.top() + 1)];
    this.roomFor = (file.bytes() >>> pageShift) - FileHeader.BLOCKS;
  }

  // ---------------------------------------------------------------- for the pool

  /** Returns where in the file a page is. */
  long position(int page) {
    return FileHeader.position(page, pageBytes());
  }

  long fileId() {
    return header.fileId();
  }

  /** Returns the frame of a page, or {@link BufferPool#NO_FRAME}. */
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
  @Nullable PageFileException fault(MemorySegment memory, long place, int page) {
    String fault = PageSeal.fault(memory, place, pageBytes(), page, header.fileId());
    return fault == null ? null : new CorruptPageException(file.path(), page, fault);
  }

  /** Tells whether pages can be pinned at all; once it is false, it stays so. */
  boolean isUsable() {
    return !closed && halfway == null;
  }

  /** Checks that pages can be pinned at all. */
  void checkPages() {
    if (closed) {
      throw new IllegalStateException("the index is closed");
    }
    Throwable cause = halfway;
    if (cause != null) {
      throw new IllegalStateException(
          file.path() + ": the index can't be used, because a change failed halfway: " + cause,
          cause);
    }
  }

  /** Checks that a page can be pinned. */
  void checkPage(long page) {
    checkPages();
    if (page < 1 || page > numbers.top() || !numbers.isInUse((int) page)) {
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
    pool.lock.lock();
    try {
      if (header.isClean()) {
        writeHeader(header.changing());
      }
    } catch (PageFileException e) {
      throw failed(e);
    } finally {
      pool.lock.unlock();
    }
  }

  /** Takes no more changes, because changed pages could not be written. Returns the reason. */
  PageFileException failed(RuntimeException cause) {
    PageFileException reason =
        cause instanceof PageFileException known
            ? known
            : new PageFileException(file.path(), "writing failed: " + cause, cause);
    if (failure == null) {
      failure = reason;
    }
    return reason;
  }

  // ---------------------------------------------------------------- pin

  @Override
  public long pin(int page) {
    if (page > 0 && page < frameOf.length) {
      int frame = frameOf[page] - 1;
      if (frame >= 0 && pool.tryPin(this, page, frame)) {
        hits++;
        return (long) frame << pageShift;
      }
    }
    return pinMissing(page);
  }

  private long pinMissing(int page) {
    long[] place = {Math.max(page, 0)};
    pool.pinMissing(this, place, 0, 1);
    return place[0];
  }

  @Override
  public long pinFresh(int page) {
    beforeChange();
    if (frameOf(page) == BufferPool.NO_FRAME) {
      pool.fresh(this, page);
    }
    return pin(page);
  }

  @Override
  public void pinAll(long[] places, int from, int count) {
    int missing = 0;
    for (int i = from; i < from + count; i++) {
      int page = (int) places[i];
      int frame = page > 0 && page < frameOf.length ? frameOf[page] - 1 : BufferPool.NO_FRAME;
      if (frame >= 0 && pool.tryPin(this, page, frame)) {
        hits++;
        places[i] = ~((long) frame << pageShift);
      } else {
        places[i] = Math.max(page, 0);
        missing++;
      }
    }
    if (missing > 0) {
      pool.pinMissing(this, places, from, count);
      return;
    }
    for (int i = from; i < from + count; i++) {
      places[i] = ~places[i];
    }
  }

  @Override
  public void unpin(long place, boolean pageChanged) {
    if (pageChanged) {
      changed = true;
    }
    pool.unpin(place, pageChanged);
  }

  @Override
  public void readAhead(int[] pages, int from, int count) {
    if (readsAhead) {
      pool.readAhead(this, pages, from, count);
    }
  }

  @Override
  public void wontNeed(int page) {
    if (!closed) {
      pool.wontNeed(this, page, true);
    }
  }

  @Override
  public void willFree(int page) {
    if (!closed) {
      pool.wontNeed(this, page, false);
    }
  }

  // ---------------------------------------------------------------- allocate

  @Override
  public int allocate() {
    beforeChange();
    int page = numbers.next();
    makeRoom(page, 1);
    pool.fresh(this, page);
    take(page, 1);
    return page;
  }

  @Override
  public int allocate(int count) {
    beforeChange();
    int first = numbers.next(count);
    makeRoom(first, count);
    take(first, count);
    return first;
  }

  private void take(int first, int count) {
    numbers.take(first, count);
    changed = true;
  }

  /** Makes room in the file, and in the table of frames, for pages that are given out next. */
  private void makeRoom(int first, int count) {
    if (first < 0 || first > Integer.MAX_VALUE - count) {
      throw new MemoryLimitException(file.path() + ": has the most pages a file can have");
    }
    int last = first + count - 1;
    if (last >= frameOf.length) {
      enlargeTable(last);
    }
    if (last > roomFor) {
      grow(last);
    }
  }

  /**
   * Under the lock, for a page of this store may have to make room for one of another meanwhile.
   */
  private void enlargeTable(int page) {
    pool.lock.lock();
    try {
      frameOf = Arrays.copyOf(frameOf, (int) Math.min(2L * page, Integer.MAX_VALUE - 8));
    } finally {
      pool.lock.unlock();
    }
  }

  /** Makes room for a page and, if the device has it, for those that will come. */
  private void grow(int page) {
    long step = Math.min(roomFor / 8, MOST_GROWTH_BYTES >>> pageShift);
    long wanted = page + Math.max(step, LEAST_GROWTH_PAGES);
    try {
      growTo(wanted);
    } catch (PageFileException full) {
      try {
        growTo(page);
      } catch (PageFileException stillFull) {
        throw new MemoryLimitException(
            file.path() + ": there is no room for page " + page + ": " + stillFull.getMessage(),
            stillFull);
      }
    }
  }

  private void growTo(long pages) {
    file.grow((pages + FileHeader.BLOCKS) << pageShift);
    roomFor = pages;
  }

  /** Also if no more changes are taken: one that failed gives back what it had allocated. */
  @Override
  public void free(int page) {
    checkChangeable();
    if (isInUse(page)) {
      pool.discard(this, page);
    }
    numbers.giveBack(page);
    changed = true;
  }

  @Override
  public void clear() {
    beforeChange();
    pool.forget(this);
    changed = true;
    numbers.clear();
    Arrays.fill(meta, 0);
  }

  // ---------------------------------------------------------------- change

  private void checkChangeable() {
    checkPages();
    if (readOnly) {
      throw new UnsupportedOperationException(file.path() + ": opened for reading only");
    }
  }

  @Override
  public void beforeChange() {
    checkChangeable();
    PageFileException reason = failure;
    if (reason != null) {
      throw new IllegalStateException(
          file.path()
              + ": takes no more changes, because earlier ones could not be written: "
              + reason.getMessage(),
          reason);
    }
  }

  @Override
  public void leftHalfway(Throwable cause) {
    if (halfway == null) {
      halfway = cause;
    }
    pool.forget(this);
  }

  @Override
  public synchronized void flush() {
    checkPages();
    if (readOnly || (!changed && header.isClean())) {
      return;
    }
    beforeChange();
    try {
      pool.writeAll(this);
      beforeOverwrite();
      int[] free = numbers.free();
      writeFreePages(free);
      file.force();
      writeHeader(header.clean(numbers.top(), free.length, meta));
      changed = false;
    } catch (PageFileException e) {
      throw failed(e);
    }
  }

  private void writeFreePages(int[] free) {
    try (Arena arena = Arena.ofShared()) {
      FreePages.write(this, arena, free, numbers.top());
    }
  }

  /** Makes room for blocks behind the last page, if there is none yet. */
  void growForBlocks(long blocks) {
    if (numbers.top() + blocks > roomFor) {
      growTo(numbers.top() + blocks);
    }
  }

  private void writeHeader(FileHeader next) {
    write(file, next);
    header = next;
  }

  /** Writes a header and waits until it is safe. */
  static void write(PageFile file, FileHeader header) {
    int pageBytes = header.pageBytes();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment block = arena.allocate(pageBytes, Math.max(pageBytes, file.alignment()));
      header.write(block);
      IoBatch batch = new IoBatch(block, 1);
      batch.add((long) header.block() * pageBytes, 0, pageBytes);
      file.write(batch);
      file.force();
    }
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public int pageBytes() {
    return 1 << pageShift;
  }

  @Override
  public MemorySegment segment() {
    return pool.memory();
  }

  @Override
  public long[] meta() {
    return meta;
  }

  @Override
  public int mostPins() {
    return pool.mostPins();
  }

  /** Returns false: a page that is not pinned may have to make room for another. */
  @Override
  public boolean keepsPlaces() {
    return false;
  }

  @Override
  public int pagesInUse() {
    return numbers.inUse();
  }

  /** What room there is, only the device knows; a file has numbers for so many. */
  @Override
  public boolean hasRoom(long extent, long more) {
    return extent + more <= Integer.MAX_VALUE - numbers.top();
  }

  @Override
  public boolean isInUse(int page) {
    return numbers.isInUse(page);
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
  public boolean isClosed() {
    return closed;
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
    if (closed) {
      return;
    }
    PageFileException loss = loss();
    try {
      if (loss == null) {
        flush();
      } else if (halfway != null) {
        sayUnclean(loss);
      }
    } finally {
      closed = true;
      release();
    }
    if (loss != null) {
      throw loss;
    }
  }

  /** Returns why what was changed since the last flush is lost, or null if it is not. */
  private @Nullable PageFileException loss() {
    Throwable torn = halfway;
    PageFileException unwritten = failure;
    if (torn != null) {
      return new PageFileException(
          file.path(),
          "closed without the last changes, one of which failed halfway: " + torn.getMessage(),
          torn);
    }
    return unwritten == null
        ? null
        : new PageFileException(
            file.path(),
            "closed without the last changes, which could not be written: "
                + unwritten.getMessage(),
            unwritten);
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
      pool.forget(this);
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
