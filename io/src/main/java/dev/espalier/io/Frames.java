// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a buffer pool: each has memory for one page, a note of whose page is there, and a
 * state.
 */
@SuppressWarnings("ReferenceEquality") // A store is only ever itself.
final class Frames {
  /* Overview
   *
   * A frame is known by one word of state, changed by compare-and-set only:
   *
   *     | version, 32 | hits, 11 | writing | read ahead | busy | changed | used lately | pins, 16 |
   *
   * Hits are counted by the exchange that counts the pin, so they cost nothing and none is lost. They
   * are those of the frame, whichever pages it had; every few hundred move to a counter in stripes.
   *
   * A page that is in its frame is pinned without a lock: the file's page table gives the frame, the
   * pin is counted unless the frame is busy, and then the frame's owner and page are looked at
   * again, for it may have got another page in between. All else happens under the lock:
   *
   *     empty --- assign ---> busy --- settle ---> pinnable --- evict (pins = 0) ---> busy
   *
   * Whoever only looks at a page writes nothing (decision 57). The version grows when a page is made
   * to leave its frame, before anything else happens to the frame. So if the frame has a page and a
   * version, and has the same version after the page was read, no other page was there in between.
   * Frames stay where they are in memory: a look that comes too late reads what belongs to others, and
   * finds that out. A version comes round only after 2^32 pages in one frame, all during one look.
   *
   * A busy frame belongs to the one who made it so; it is being read into, or copied from. One that
   * is writing is pinnable, but not to be evicted: a copy of its page is on its way to the file.
   *
   * Frames are taken into use one after another, as pages come, so that memory that the system gives
   * as it is written and the notes of the frames grow together. The notes are in chunks. In place of
   * one that is not made yet there is one whose frames are all busy: whoever pins a page without the
   * lock, and sees the number of a frame before its notes, takes the way under the lock.
   */

  static final int PINS = 0xffff;

  /** The highest bit of the pins: a page that has so many gets no more, so that none overflows. */
  static final int MOST_PINS = 1 << 15;

  static final int USED = 1 << 16;
  static final int CHANGED = 1 << 17;
  static final int BUSY = 1 << 18;

  /** The page was read ahead, and nobody has pinned it yet. */
  static final int AHEAD = 1 << 19;

  /** A copy of the page is being written, for which the page stays in its frame. */
  static final int WRITING = 1 << 20;

  private static final int HITS_SHIFT = 21;
  private static final int VERSION_SHIFT = Integer.SIZE;

  /** Pins and flags: all that is the page's, not the frame's. */
  private static final int OF_PAGE = (1 << HITS_SHIFT) - 1;

  private static final long HIT = 1L << HITS_SHIFT;
  private static final long VERSION = 1L << VERSION_SHIFT;

  /** The highest bit of the hits. */
  static final long MANY_HITS = VERSION >>> 1;

  /** How many hits are moved out of a word that has many. */
  static final long MOVED_HITS = MANY_HITS >>> HITS_SHIFT;

  /** Bits of a look that tell the frame; those above are its version. */
  private static final int FRAME_BITS = 30;

  /** Stands for no frame. */
  static final int NONE = -1;

  /** Binary logarithm of the frames whose notes are made together. */
  private static final int CHUNK_SHIFT = 9;

  private static final int CHUNK = 1 << CHUNK_SHIFT;
  private static final int IN_CHUNK = CHUNK - 1;

  /** Stands for the states of frames that are not in use. */
  private static final long[] ALL_BUSY = busy(CHUNK);

  private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(long[].class);

  /** Held for everything but pins of pages that are there, and unpins. */
  final ReentrantLock lock = new ReentrantLock();

  /** How many there may be. */
  final int count;

  /** How many there may be whatever other pools take. */
  final int sure;

  private final MemorySegment memory;
  private final int pageShift;
  private final BooleanSupplier mayGrow;

  /** How many are in use; changes under the lock. */
  private volatile int inUse;

  private final long[][] states;

  /** Hits that are not in the words of the frames, less those there that were none after all. */
  private final LongAdder otherHits = new LongAdder();

  // Both change only while the frame is busy, or is forgotten.
  private final int[][] pages;
  private final @Nullable PooledPageStore[][] owners;

  /**
   * Divides memory into frames, none of which is in use.
   *
   * @param pageShift binary logarithm of the bytes of a page
   * @param sure how many frames may be taken into use without fail
   * @param mayGrow asked under the lock whenever one more frame is to be taken into use
   */
  Frames(MemorySegment memory, int pageShift, int sure, BooleanSupplier mayGrow) {
    this.memory = memory;
    this.pageShift = pageShift;
    this.mayGrow = mayGrow;
    this.count = (int) (memory.byteSize() >>> pageShift);
    this.sure = Math.min(sure, count);
    int chunks = (count + IN_CHUNK) >>> CHUNK_SHIFT;
    this.states = new long[chunks][];
    this.pages = new int[chunks][];
    this.owners = new PooledPageStore[chunks][];
    Arrays.fill(states, ALL_BUSY);
  }

  private static long[] busy(int frames) {
    long[] states = new long[frames];
    Arrays.fill(states, BUSY);
    return states;
  }

  /** Returns how many frames are in use: these and no others have had pages. */
  int inUse() {
    return inUse;
  }

  /**
   * Takes one more frame into use, and returns it, busy and without a page; {@link #NONE} if there
   * may be no more. Under the lock.
   */
  int takeIntoUse() {
    int frame = inUse;
    if (frame == count || !mayGrow.getAsBoolean()) {
      return NONE;
    }
    if ((frame & IN_CHUNK) == 0) {
      int chunk = frame >>> CHUNK_SHIFT;
      int frames = Math.min(CHUNK, count - frame);
      pages[chunk] = new int[frames];
      owners[chunk] = new PooledPageStore[frames];
      long[] made = busy(frames);
      VarHandle.releaseFence(); // Whoever finds these states finds them filled.
      states[chunk] = made;
    }
    inUse = frame + 1;
    return frame;
  }

  MemorySegment memory() {
    return memory;
  }

  int pageShift() {
    return pageShift;
  }

  int pageBytes() {
    return 1 << pageShift;
  }

  /** Returns where in the memory a frame begins. */
  long offset(int frame) {
    return (long) frame << pageShift;
  }

  /** Returns the frame in which a byte of the memory is. */
  int frameAt(long offset) {
    return (int) (offset >>> pageShift);
  }

  // ---------------------------------------------------------------- pin

  /**
   * Counts a pin and a hit of a frame if it has this page of this store, is not busy, and has fewer
   * than {@link #MOST_PINS}.
   */
  boolean tryHit(PooledPageStore store, int page, int frame) {
    return tryPin(store, page, frame, HIT + 1);
  }

  /** Counts a pin as {@link #tryHit} does, and no hit. */
  boolean tryPin(PooledPageStore store, int page, int frame) {
    return tryPin(store, page, frame, 1);
  }

  private boolean tryPin(PooledPageStore store, int page, int frame, long pin) {
    int chunk = frame >>> CHUNK_SHIFT;
    int at = frame & IN_CHUNK;
    long[] chunkStates = states[chunk];
    while (true) {
      long state = (long) STATE.getVolatile(chunkStates, at);
      if ((state & (BUSY | MOST_PINS | MANY_HITS)) != 0) {
        if ((state & (BUSY | MOST_PINS)) != 0) {
          return false;
        }
        moveHits(frame, state);
      } else if (STATE.compareAndSet(chunkStates, at, state, ((state + pin) | USED) & ~AHEAD)) {
        break;
      }
    }
    if (pages[chunk][at] == page && owners[chunk][at] == store) {
      return true;
    }
    STATE.getAndAdd(chunkStates, at, -1L);
    otherHits.add(-(pin >>> HITS_SHIFT));
    return false;
  }

  /** Makes room for more hits. */
  private void moveHits(int frame, long state) {
    if (compareAndSet(frame, state, state & ~MANY_HITS)) {
      otherHits.add(MOVED_HITS);
    }
  }

  /** Counts hits of pages that were not pinned. */
  void addHits(int hits) {
    otherHits.add(hits);
  }

  /** Returns the hits so far; O(frames). */
  long hits() {
    long hits = otherHits.sum();
    int frames = inUse;
    for (int frame = 0; frame < frames; frame++) {
      hits += (int) opaqueState(frame) >>> HITS_SHIFT;
    }
    return hits;
  }

  // ---------------------------------------------------------------- look

  /**
   * Returns a frame with its version if it has this page of this store and is not busy, and {@link
   * #NONE} otherwise. Writes to its word only if the page was not used lately.
   */
  long look(PooledPageStore store, int page, int frame) {
    int chunk = frame >>> CHUNK_SHIFT;
    int at = frame & IN_CHUNK;
    long state = (long) STATE.getAcquire(states[chunk], at);
    if ((state & BUSY) != 0 || pages[chunk][at] != page || owners[chunk][at] != store) {
      return NONE;
    }
    if ((state & (USED | AHEAD)) != USED) {
      noteUse(frame, state);
    }
    return state >>> VERSION_SHIFT << FRAME_BITS | frame;
  }

  /** Returns where in the memory the frame of a look begins. */
  long offsetOf(long look) {
    return offset((int) look & ((1 << FRAME_BITS) - 1));
  }

  /** Tells whether all that was read in the frame of a look since then is the page's. */
  boolean isStill(long look) {
    VarHandle.acquireFence();
    int frame = (int) look & ((1 << FRAME_BITS) - 1);
    return opaqueState(frame) >>> VERSION_SHIFT == look >>> FRAME_BITS;
  }

  /** Notes that a page is used, unless it has made room by now, or is about to. */
  private void noteUse(int frame, long seen) {
    long state = seen;
    while ((state & BUSY) == 0 && (state ^ seen) >>> VERSION_SHIFT == 0) {
      if (compareAndSet(frame, state, (state | USED) & ~AHEAD)) {
        return;
      }
      state = state(frame);
    }
  }

  // ---------------------------------------------------------------- unpin

  /** Gives back a pin of the page that is at an offset. */
  void unpin(long offset) {
    int frame = frameAt(offset);
    STATE.getAndAdd(states[frame >>> CHUNK_SHIFT], frame & IN_CHUNK, -1L);
  }

  /** Gives back a pin of the page that is at an offset, which its store has changed. */
  void unpinChanged(PooledPageStore store, long offset) {
    int frame = frameAt(offset);
    long[] chunkStates = states[frame >>> CHUNK_SHIFT];
    int at = frame & IN_CHUNK;
    long state;
    do {
      state = (long) STATE.getVolatile(chunkStates, at);
    } while (!STATE.compareAndSet(chunkStates, at, state, (state | CHANGED) - 1));
    if ((state & CHANGED) == 0) {
      store.changedPages.incrementAndGet();
    }
  }

  // ---------------------------------------------------------------- page and owner

  int page(int frame) {
    return pages[frame >>> CHUNK_SHIFT][frame & IN_CHUNK];
  }

  @Nullable PooledPageStore owner(int frame) {
    return owners[frame >>> CHUNK_SHIFT][frame & IN_CHUNK];
  }

  /** Gives a busy frame to a page. */
  void assign(int frame, PooledPageStore store, int page) {
    pages[frame >>> CHUNK_SHIFT][frame & IN_CHUNK] = page;
    owners[frame >>> CHUNK_SHIFT][frame & IN_CHUNK] = store;
    store.map(page, frame);
  }

  /** Takes a frame from its page, if it has one. */
  void disown(int frame) {
    PooledPageStore owner = owner(frame);
    if (owner != null) {
      owner.unmap(page(frame));
      owners[frame >>> CHUNK_SHIFT][frame & IN_CHUNK] = null;
    }
  }

  /** Returns frame and page as one number, which sorts frames in the order of their pages. */
  long key(int frame) {
    return (long) page(frame) << 32 | frame;
  }

  /** Returns the frame of a {@link #key}. */
  static int frameOf(long key) {
    return (int) key;
  }

  /** Returns the page of a {@link #key}. */
  static int pageOf(long key) {
    return (int) (key >>> Integer.SIZE);
  }

  /** Tells whether the frame of a {@link #key} still has the page, of this store. */
  boolean holds(PooledPageStore store, long key) {
    int frame = frameOf(key);
    return owner(frame) == store && page(frame) == pageOf(key);
  }

  /** Returns the frames that a store has. O(pages) if it has fewer pages than frames are in use. */
  IntStream of(PooledPageStore store) {
    return store.mostPages() < inUse
        ? IntStream.rangeClosed(1, store.mostPages()).map(store::frameOf).filter(f -> f != NONE)
        : IntStream.range(0, inUse).filter(frame -> owner(frame) == store);
  }

  // ---------------------------------------------------------------- state

  long state(int frame) {
    return (long) STATE.getVolatile(states[frame >>> CHUNK_SHIFT], frame & IN_CHUNK);
  }

  private long opaqueState(int frame) {
    return (long) STATE.getOpaque(states[frame >>> CHUNK_SHIFT], frame & IN_CHUNK);
  }

  private boolean compareAndSet(int frame, long state, long next) {
    return STATE.compareAndSet(states[frame >>> CHUNK_SHIFT], frame & IN_CHUNK, state, next);
  }

  boolean isChanged(int frame) {
    return (state(frame) & CHANGED) != 0;
  }

  /** Tells whether a page has the most pins that it can have. */
  boolean hasMostPins(int frame) {
    return (state(frame) & MOST_PINS) != 0;
  }

  boolean isBeingWritten(int frame) {
    return (state(frame) & WRITING) != 0;
  }

  /** Tells whether what a frame has may not be in the file yet. */
  boolean isUnwritten(int frame) {
    return (state(frame) & (CHANGED | WRITING)) != 0;
  }

  /** Keeps the count of the changed pages of the file whose page a frame has. */
  private void countChanged(int frame, long before, long after) {
    if (((before ^ after) & CHANGED) != 0) {
      PooledPageStore owner = owner(frame);
      if (owner != null) {
        owner.changedPages.addAndGet((after & CHANGED) != 0 ? 1 : -1);
      }
    }
  }

  /** Sets bits of a state. */
  void set(int frame, long bits) {
    long[] chunk = states[frame >>> CHUNK_SHIFT];
    long before = (long) STATE.getAndBitwiseOr(chunk, frame & IN_CHUNK, bits);
    countChanged(frame, before, before | bits);
  }

  /** Clears bits of a state. */
  void clear(int frame, long bits) {
    long[] chunk = states[frame >>> CHUNK_SHIFT];
    long before = (long) STATE.getAndBitwiseAnd(chunk, frame & IN_CHUNK, ~bits);
    countChanged(frame, before, before & ~bits);
  }

  /** Replaces a state if it has not changed. */
  boolean replace(int frame, long state, long next) {
    boolean replaced = compareAndSet(frame, state, next);
    if (replaced) {
      countChanged(frame, state, next);
    }
    return replaced;
  }

  /**
   * Turns a changed frame that nobody is writing yet into one whose page is copied next and then
   * written; tells whether it could. The frame is busy until its page is copied, unless it is
   * pinned: whoever changes the page meanwhile says so later, and it is written once more.
   */
  boolean beginWrite(int frame) {
    while (true) {
      long state = state(frame);
      if ((state & (CHANGED | BUSY | WRITING)) != CHANGED) {
        return false;
      }
      long next = (state & ~CHANGED) | WRITING | ((state & PINS) == 0 ? BUSY : 0);
      if (replace(frame, state, next)) {
        return true;
      }
    }
  }

  /** Ends what {@link #beginWrite} began; the page is changed as before if it was not written. */
  void endWrite(int frame, boolean isWritten) {
    if (!isWritten) {
      set(frame, CHANGED);
    }
    clear(frame, BUSY | WRITING);
  }

  /**
   * Makes a frame busy, with another version, if it has no pins, is not being written, and has none
   * of some other bits. Returns its other bits from before, or -1 if it was not made busy.
   */
  int makeBusy(int frame, int unless) {
    long state = state(frame);
    boolean free = (state & (PINS | BUSY | WRITING | unless)) == 0;
    if (!free || !replace(frame, state, ((state & ~OF_PAGE) + VERSION) | BUSY)) {
      return -1;
    }
    VarHandle.releaseFence(); // Whoever reads what comes next here sees the version.
    return (int) state & OF_PAGE;
  }

  /** Ends what a frame was busy with, after all that this thread did before. */
  void makePinnable(int frame, int bits) {
    countChanged(frame, 0, bits);
    long[] chunk = states[frame >>> CHUNK_SHIFT];
    STATE.setRelease(chunk, frame & IN_CHUNK, (state(frame) & ~OF_PAGE) | bits);
  }
}
