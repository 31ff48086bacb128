// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
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
   */

  static final int PINS = 0xffff;
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

  private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(long[].class);

  /** Held for everything but pins of pages that are there, and unpins. */
  final ReentrantLock lock = new ReentrantLock();

  /** How many there are. */
  final int count;

  /** How many are changed. */
  private final AtomicInteger changedCount = new AtomicInteger();

  private final MemorySegment memory;
  private final int pageShift;
  private final long[] states;

  /** Hits that are not in the words of the frames, less those there that were none after all. */
  private final LongAdder otherHits = new LongAdder();

  // Both change only while the frame is busy, or is forgotten.
  private final int[] pages;
  private final @Nullable PooledPageStore[] owners;

  /**
   * Divides memory into frames, all of them busy.
   *
   * @param pageShift binary logarithm of the bytes of a page
   */
  Frames(MemorySegment memory, int pageShift) {
    this.memory = memory;
    this.pageShift = pageShift;
    this.count = (int) (memory.byteSize() >>> pageShift);
    this.states = new long[count];
    this.pages = new int[count];
    this.owners = new PooledPageStore[count];
    Arrays.fill(states, BUSY);
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

  /** Counts a pin and a hit of a frame if it has this page of this store and is not busy. */
  boolean tryHit(PooledPageStore store, int page, int frame) {
    return tryPin(store, page, frame, HIT + 1);
  }

  /** Counts a pin of a frame if it has this page of this store and is not busy. */
  boolean tryPin(PooledPageStore store, int page, int frame) {
    return tryPin(store, page, frame, 1);
  }

  private boolean tryPin(PooledPageStore store, int page, int frame, long pin) {
    while (true) {
      long state = (long) STATE.getVolatile(states, frame);
      if ((state & (BUSY | MANY_HITS)) != 0) {
        if ((state & BUSY) != 0) {
          return false;
        }
        moveHits(frame, state);
      } else if (STATE.compareAndSet(states, frame, state, ((state + pin) | USED) & ~AHEAD)) {
        break;
      }
    }
    if (pages[frame] == page && owners[frame] == store) {
      return true;
    }
    STATE.getAndAdd(states, frame, -1L);
    otherHits.add(-(pin >>> HITS_SHIFT));
    return false;
  }

  /** Makes room for more hits. */
  private void moveHits(int frame, long state) {
    if (STATE.compareAndSet(states, frame, state, state & ~MANY_HITS)) {
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
    for (int frame = 0; frame < count; frame++) {
      hits += (int) (long) STATE.getOpaque(states, frame) >>> HITS_SHIFT;
    }
    return hits;
  }

  // ---------------------------------------------------------------- look

  /**
   * Returns a frame with its version if it has this page of this store and is not busy, and {@link
   * #NONE} otherwise. Writes to its word only if the page was not used lately.
   */
  long look(PooledPageStore store, int page, int frame) {
    long state = (long) STATE.getAcquire(states, frame);
    if ((state & BUSY) != 0 || pages[frame] != page || owners[frame] != store) {
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
    return (long) STATE.getOpaque(states, frame) >>> VERSION_SHIFT == look >>> FRAME_BITS;
  }

  /** Notes that a page is used, unless it has made room by now, or is about to. */
  private void noteUse(int frame, long seen) {
    long state = seen;
    while ((state & BUSY) == 0 && (state ^ seen) >>> VERSION_SHIFT == 0) {
      if (STATE.compareAndSet(states, frame, state, (state | USED) & ~AHEAD)) {
        return;
      }
      state = state(frame);
    }
  }

  // ---------------------------------------------------------------- unpin

  /** Gives back a pin of the page that is at an offset. */
  void unpin(long offset, boolean changed) {
    int frame = frameAt(offset);
    if (!changed) {
      STATE.getAndAdd(states, frame, -1L);
      return;
    }
    long state;
    do {
      state = (long) STATE.getVolatile(states, frame);
    } while (!STATE.compareAndSet(states, frame, state, (state | CHANGED) - 1));
    if ((state & CHANGED) == 0) {
      changedCount.incrementAndGet();
    }
  }

  // ---------------------------------------------------------------- page and owner

  int page(int frame) {
    return pages[frame];
  }

  @Nullable PooledPageStore owner(int frame) {
    return owners[frame];
  }

  /** Gives a busy frame to a page. */
  void assign(int frame, PooledPageStore store, int page) {
    pages[frame] = page;
    owners[frame] = store;
    store.map(page, frame);
  }

  /** Takes a frame from its page, if it has one. */
  void disown(int frame) {
    PooledPageStore owner = owners[frame];
    if (owner != null) {
      owner.unmap(pages[frame]);
      owners[frame] = null;
    }
  }

  /** Returns frame and page as one number, which sorts frames in the order of their pages. */
  long key(int frame) {
    return (long) pages[frame] << 32 | frame;
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
    return owners[frame] == store && pages[frame] == pageOf(key);
  }

  /** Returns the frames that a store has. O(pages) if it has fewer pages than there are frames. */
  IntStream of(PooledPageStore store) {
    return store.mostPages() < count
        ? IntStream.rangeClosed(1, store.mostPages()).map(store::frameOf).filter(f -> f != NONE)
        : IntStream.range(0, count).filter(frame -> owners[frame] == store);
  }

  // ---------------------------------------------------------------- state

  long state(int frame) {
    return (long) STATE.getVolatile(states, frame);
  }

  boolean isChanged(int frame) {
    return (state(frame) & CHANGED) != 0;
  }

  boolean isBeingWritten(int frame) {
    return (state(frame) & WRITING) != 0;
  }

  /** Tells whether what a frame has may not be in the file yet. */
  boolean isUnwritten(int frame) {
    return (state(frame) & (CHANGED | WRITING)) != 0;
  }

  /** Returns how many frames have pages that were changed and are to be written. */
  int changedCount() {
    return changedCount.get();
  }

  private void countChanged(long before, long after) {
    if (((before ^ after) & CHANGED) != 0) {
      changedCount.addAndGet((after & CHANGED) != 0 ? 1 : -1);
    }
  }

  /** Sets bits of a state. */
  void set(int frame, long bits) {
    long before = (long) STATE.getAndBitwiseOr(states, frame, bits);
    countChanged(before, before | bits);
  }

  /** Clears bits of a state. */
  void clear(int frame, long bits) {
    long before = (long) STATE.getAndBitwiseAnd(states, frame, ~bits);
    countChanged(before, before & ~bits);
  }

  /** Replaces a state if it has not changed. */
  boolean replace(int frame, long state, long next) {
    boolean replaced = STATE.compareAndSet(states, frame, state, next);
    if (replaced) {
      countChanged(state, next);
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
    countChanged(0, bits);
    STATE.setRelease(states, frame, (state(frame) & ~OF_PAGE) | bits);
  }
}
