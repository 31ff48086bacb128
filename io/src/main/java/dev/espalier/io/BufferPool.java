// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.Region;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Memory for the pages of files, up to a hard limit: frames of one size in one native region, in
 * huge pages where they are granted. Several indexes may share a pool and its limit; each index
 * that is opened without one has its own.
 *
 * <p>Pages that are needed no more make room: first those of which it was said, then by CLOCK.
 * Changed ones are written before, many at once and in the order of their numbers.
 *
 * <p>Many threads may use a pool at once. A thread pins up to a quarter of the frames at a time;
 * where there are not enough for all threads, they wait for one another, and if nothing comes free
 * for {@value #PATIENCE_MILLIS} ms, get an {@link IllegalStateException}.
 */
public final class BufferPool implements AutoCloseable {
  /* Overview
   *
   * A frame is known by one word of state, changed by compare-and-set only:
   *
   *     | read ahead | busy | changed | used lately | pins, 16 bits |
   *
   * A page that is in its frame is pinned without a lock: the file's page table gives the frame, the
   * pin is counted unless the frame is busy, and then the frame's owner and page are looked at
   * again, for it may have got another page in between. All else happens under the lock:
   *
   *     empty --- claim ---> busy --- settle ---> pinnable --- evict (pins = 0) ---> busy
   *
   * A busy frame belongs to the one who made it so; it is being read into, or copied from.
   *
   * Threads that pin waves could wait for one another's pins. So a thread that lacks a frame gives
   * back what it has pinned and waits for its turn; the one whose turn it is keeps its pins.
   *
   * Lock order: the lock of a PoolRead's finishing is never asked for, but only tried, while the
   * lock of the pool is held. Devices are waited for without the lock, but for writing.
   */

  /** Fewest frames: a few pins of three, and one to be read ahead. */
  public static final int MIN_FRAMES = 8;

  /** Most bytes of a pool: 256 GiB. */
  public static final long MOST_BYTES = 1L << 38;

  /** How long a thread waits for a frame, in milliseconds, when others have pinned them all. */
  static final int PATIENCE_MILLIS = 1000;

  /** How long a thread waits for its turn: those before it may have slow devices. */
  private static final int TURN_SECONDS = 60;

  /** Most pages in a wave: as many reads as an SSD answers at once. */
  static final int MOST_IN_WAVE = 64;

  static final int PIN_MASK = 0xffff;
  static final int USED = 1 << 16;
  static final int CHANGED = 1 << 17;
  static final int BUSY = 1 << 18;

  /** The page was read ahead, and nobody has pinned it yet. */
  static final int AHEAD = 1 << 19;

  static final int NO_FRAME = -1;

  /** How far the hand goes to read ahead, which shall cost little where it can't. */
  private static final int AHEAD_STEPS = 64;

  /** How many frames are looked at for each one that could be written, so that runs are long. */
  private static final int WRITE_STEPS = 8;

  static final VarHandle STATE = MethodHandles.arrayElementVarHandle(int[].class);

  private final Region region;
  private final int pageShift;
  private final int frames;
  private final WriteBack writeBack;

  /** State of each frame. */
  final int[] states;

  /** Page of each frame, and whose; both change only while the frame is busy. */
  final int[] pages;

  final @Nullable FilePageStore[] owners;

  final ReentrantLock lock = new ReentrantLock();

  /** Held by the one thread that may keep pins while it waits for more frames. */
  private final ReentrantLock turn = new ReentrantLock(true);

  // What follows changes under the lock.

  private final int[] empty;
  private int emptyCount;
  private int hand;

  /**
   * Keys of frames whose pages are not needed for a while. Those of which it was said last make
   * room first: the first ones may be about to be merged with them.
   */
  private final long[] unneeded;

  private int unneededCount;

  private boolean closed;
  private final List<FilePageStore> stores = new ArrayList<>();

  /** By frame, the wave that is reading into it. */
  private final @Nullable PoolRead[] readsInto;

  /** Waves that were started ahead and not yet settled. */
  private final ArrayDeque<PoolRead> ahead = new ArrayDeque<>();

  private final ArrayDeque<IoBatch> batches = new ArrayDeque<>();
  private final long[] victims;

  private int inFlight;
  private int mostInFlight;
  private long hitsOfClosed;
  private long misses;
  private long readAheads;
  private long readAheadsWasted;
  private long written;
  private long evictions;
  private long readWaves;

  private BufferPool(long bytes, int pageBytes, HugePages hugePages) {
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
    long total = bytes >>> pageShift;
    int gathered = Math.clamp(total / 16, 1, Math.max(1, WriteBack.MOST_BYTES / pageBytes));
    this.frames = Math.clamp(total - gathered, 1, Integer.MAX_VALUE >>> 1);
    this.region = Region.ofPages((long) frames << pageShift, hugePages);
    this.writeBack = new WriteBack(region.arena(), pageBytes, gathered);
    this.states = new int[frames];
    this.pages = new int[frames];
    this.owners = new FilePageStore[frames];
    this.empty = new int[frames];
    this.readsInto = new PoolRead[frames];
    this.victims = new long[gathered];
    this.unneeded = new long[frames];
    Arrays.fill(states, BUSY);
    for (int frame = frames - 1; frame >= 0; frame--) {
      empty[emptyCount++] = frame;
    }
  }

  /**
   * Makes an empty pool.
   *
   * @param bytes of memory it may take, room to gather what is written included; {@link
   *     #MIN_FRAMES} pages and one more at least
   * @param pageBytes bytes of a page, the same in all files: a power of two
   */
  public static BufferPool create(long bytes, int pageBytes) {
    return create(bytes, pageBytes, HugePages.WHEN_GROWN);
  }

  /** Makes an empty pool, as {@link #create(long, int)}, with or without huge pages. */
  public static BufferPool create(long bytes, int pageBytes, HugePages hugePages) {
    MemoryPageStore.checkPageBytes(pageBytes);
    if (bytes / pageBytes < MIN_FRAMES + 1 || bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "bytes is %d: a pool has room for %d pages of %d bytes and for one more, and %d bytes at most"
              .formatted(bytes, MIN_FRAMES, pageBytes, MOST_BYTES));
    }
    return new BufferPool(bytes, pageBytes, hugePages);
  }

  /** Returns the bytes of a page. */
  public int pageBytes() {
    return 1 << pageShift;
  }

  /** Returns the number of pages that fit. */
  public int frames() {
    return frames;
  }

  /** Returns the bytes of memory of the frames and of the room to gather what is written. */
  public long bytes() {
    return (long) (frames + writeBack.capacity()) << pageShift;
  }

  /** Returns how many pins one thread may hold at once: a quarter of the frames, three at least. */
  int mostPins() {
    return Math.clamp(frames / 4, 3, MOST_IN_WAVE);
  }

  /** Returns what was done so far. */
  public PoolCounters counters() {
    lock.lock();
    try {
      long hits = hitsOfClosed;
      for (FilePageStore store : stores) {
        hits += store.hits;
      }
      return new PoolCounters(
          hits,
          misses,
          readAheads,
          readAheadsWasted,
          written,
          writeBack.requests(),
          evictions,
          readWaves,
          mostInFlight);
    } finally {
      lock.unlock();
    }
  }

  int pageShift() {
    return pageShift;
  }

  MemorySegment memory() {
    return region.segment();
  }

  boolean hasHugePages() {
    return region.hasHugePages();
  }

  // ---------------------------------------------------------------- stores

  /** Takes a store in; it is told by {@code false} if the pool is closed. */
  boolean enter(FilePageStore store) {
    lock.lock();
    try {
      if (!closed) {
        stores.add(store);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Forgets a store, all of whose pages were {@linkplain #forget forgotten}. */
  void leave(FilePageStore store) {
    lock.lock();
    try {
      if (stores.remove(store)) {
        hitsOfClosed += store.hits;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Frees the memory. A second call does nothing.
   *
   * @throws IllegalStateException if an index still uses the pool
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!stores.isEmpty()) {
        throw new IllegalStateException(
            "the pool is still used by " + stores.getFirst().file.path());
      }
      closed = true;
      region.close();
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- pin

  /** Counts a pin of a frame if it has this page of this store and is not busy. */
  boolean tryPin(FilePageStore store, int page, int frame) {
    while (true) {
      int state = (int) STATE.getVolatile(states, frame);
      if ((state & BUSY) != 0) {
        return false;
      }
      if (STATE.compareAndSet(states, frame, state, ((state + 1) | USED) & ~AHEAD)) {
        break;
      }
    }
    if (pages[frame] == page && owners[frame] == store) {
      return true;
    }
    STATE.getAndAdd(states, frame, -1);
    return false;
  }

  /** Gives back a pin. */
  void unpin(long place, boolean changed) {
    int frame = (int) (place >>> pageShift);
    if (!changed) {
      STATE.getAndAdd(states, frame, -1);
      return;
    }
    int state;
    do {
      state = (int) STATE.getVolatile(states, frame);
    } while (!STATE.compareAndSet(states, frame, state, (state | CHANGED) - 1));
  }

  /**
   * Pins pages that were not all found in their frames. {@code places[i]} is the page's number
   * where it is 0 or more, and otherwise {@code ~place} of a page that is pinned already; all
   * become places. If that fails, none is pinned.
   */
  void pinMissing(FilePageStore store, long[] places, int from, int count) {
    boolean first = false;
    try {
      long patience = 0;
      while (true) {
        Round round = pinRound(store, places, from, count);
        if (round.own != null) {
          await(round.own);
          redeem(round.own, places, from, count);
        }
        if (round.missing == 0) {
          break;
        }
        if (round.others != null) {
          await(round.others);
        } else if (round.own == null && first) {
          patience = waitForFrame(store, patience);
        } else if (round.own == null) {
          giveBack(places, from, count);
          waitForTurn();
          first = true;
        }
      }
    } catch (RuntimeException | Error failed) {
      giveBack(places, from, count);
      throw failed;
    } finally {
      if (first) {
        turn.unlock();
      }
    }
    for (int i = from; i < from + count; i++) {
      places[i] = ~places[i];
    }
  }

  /** Unpins what is pinned of a wave that lacks frames; the places are page numbers again. */
  private void giveBack(long[] places, int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (places[i] < 0) {
        long place = ~places[i];
        places[i] = pages[(int) (place >>> pageShift)];
        unpin(place, false);
      }
    }
  }

  /** Waits until no other thread waits for frames with pins of its own. */
  private void waitForTurn() {
    if (!Waiting.tryLock(turn, TimeUnit.SECONDS.toNanos(TURN_SECONDS))) {
      throw exhausted();
    }
  }

  /**
   * What a round of pinning has come to.
   *
   * @param own the wave that it needs, not yet read, or null
   * @param others another's wave to be waited for, or null
   * @param missing pages that have no frame yet
   */
  private record Round(@Nullable PoolRead own, @Nullable PoolRead others, int missing) {}

  /** Where a place is the number of a page, this above it is its number in a wave and 1. */
  private static final int TICKET_SHIFT = 32;

  /** Pins what is there and makes a wave of what is not, as far as there are frames. */
  private Round pinRound(FilePageStore store, long[] places, int from, int count) {
    PoolRead own = null;
    lock.lock();
    try {
      for (int i = from; i < from + count; i++) {
        if (places[i] >= 0) {
          store.checkPage(places[i]);
        }
      }
      PoolRead others = null;
      int missing = 0;
      for (int i = from; i < from + count; i++) {
        if (places[i] < 0) {
          continue;
        }
        int page = (int) places[i];
        int frame = store.frameOf(page);
        if (frame == NO_FRAME && (own == null || own.count() < MOST_IN_WAVE)) {
          frame = claimFrame(2 * frames, true);
          if (frame != NO_FRAME) {
            own = own == null ? newRead(store, false) : own;
            assign(frame, store, page, own);
          }
        }
        if (frame == NO_FRAME) {
          missing++;
          others = others == null ? ahead.peekFirst() : others;
        } else if (own != null && readsInto[frame] == own) {
          long ticket = own.promisePin(frame);
          places[i] = page | (ticket + 1) << TICKET_SHIFT;
          misses++;
        } else if (tryPin(store, page, frame)) {
          places[i] = ~((long) frame << pageShift);
        } else {
          missing++;
          misses++;
          others = readsInto[frame];
        }
      }
      if (own != null) {
        count(own);
      }
      return new Round(own, others, missing);
    } catch (RuntimeException | Error failed) {
      if (own != null) {
        count(own);
        own.fail(new PageFileException(store.file.path(), "reading failed", failed));
        settle(own);
      }
      throw failed;
    } finally {
      lock.unlock();
    }
  }

  /** Replaces the tickets for a wave that is settled by places. */
  private void redeem(PoolRead wave, long[] places, int from, int count) {
    PageFileException failure = null;
    for (int i = from; i < from + count; i++) {
      int ticket = places[i] < 0 ? 0 : (int) (places[i] >>> TICKET_SHIFT);
      if (ticket > 0) {
        PageFileException fault = wave.fault(ticket - 1);
        failure = failure == null ? fault : failure;
        places[i] = fault == null ? ~((long) wave.frame(ticket - 1) << pageShift) : 0;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Waits a little for pins that other threads hold.
   *
   * @param patience when it ends, 0 if it begins now
   * @return when it ends
   */
  private long waitForFrame(FilePageStore store, long patience) {
    store.checkPages();
    long now = System.nanoTime();
    if (patience != 0 && now - patience > 0) {
      throw exhausted();
    }
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
    return patience != 0 ? patience : now + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
  }

  private IllegalStateException exhausted() {
    return new IllegalStateException(
        "the pool is exhausted: for %d ms all %d frames of %d bytes were pinned, or not to be written"
            .formatted(PATIENCE_MILLIS, frames, pageBytes()));
  }

  // ---------------------------------------------------------------- read

  private PoolRead newRead(FilePageStore store, boolean isAhead) {
    IoBatch kept = batches.pollFirst();
    IoBatch batch = kept == null ? new IoBatch(region.segment(), MOST_IN_WAVE) : kept;
    return new PoolRead(store, batch, isAhead, pageShift);
  }

  /** Gives a claimed frame to a page that a wave will read. */
  private void assign(int frame, FilePageStore store, int page, PoolRead read) {
    read.add(frame, page);
    own(frame, store, page);
    readsInto[frame] = read;
  }

  private void own(int frame, FilePageStore store, int page) {
    pages[frame] = page;
    owners[frame] = store;
    store.map(page, frame);
  }

  private void count(PoolRead read) {
    readWaves++;
    inFlight += read.count();
    mostInFlight = Math.max(mostInFlight, inFlight);
  }

  /** Waits for a wave, and settles it. */
  private void await(PoolRead read) {
    read.finish();
    lock.lock();
    try {
      settle(read);
    } finally {
      lock.unlock();
    }
  }

  /** Makes the frames of a finished wave pinnable, or empty where something is wrong. */
  private void settle(PoolRead read) {
    if (read.settled) {
      return;
    }
    read.settled = true;
    inFlight -= read.count();
    ahead.remove(read);
    for (int i = 0; i < read.count(); i++) {
      int frame = read.frame(i);
      readsInto[frame] = null;
      if (read.fault(i) == null) {
        STATE.setRelease(states, frame, USED | (read.isAhead ? AHEAD : 0) | read.pins(i));
      } else {
        vacate(frame);
      }
    }
    read.batch.clear();
    batches.addFirst(read.batch);
  }

  /** Empties a busy frame. */
  private void vacate(int frame) {
    disown(frame);
    empty[emptyCount++] = frame;
  }

  private void disown(int frame) {
    FilePageStore owner = owners[frame];
    if (owner != null) {
      owner.unmap(pages[frame]);
      owners[frame] = null;
    }
  }

  /** Starts to read pages that are not there, as far as frames are at hand; a mere hint. */
  void readAhead(FilePageStore store, int[] asked, int from, int count) {
    if (!lock.tryLock()) {
      return;
    }
    try {
      PoolRead read = null;
      int most = store.isUsable() ? frames / 2 : 0;
      for (int i = from; i < from + count && inFlight < most; i++) {
        int page = asked[i];
        if (!store.isInUse(page) || store.frameOf(page) != NO_FRAME) {
          continue;
        }
        int frame = claimFrame(AHEAD_STEPS, false);
        if (frame == NO_FRAME) {
          break;
        }
        read = read == null ? newRead(store, true) : read;
        assign(frame, store, page, read);
        readAheads++;
      }
      if (read != null) {
        ahead.addLast(read);
        count(read);
        startAhead(read);
      }
    } finally {
      lock.unlock();
    }
  }

  private static void startAhead(PoolRead read) {
    try {
      read.store.file.startRead(read.batch);
    } catch (RuntimeException refused) {
      read.fail(refused); // told if anyone needs the pages
    }
  }

  // ---------------------------------------------------------------- replace

  /**
   * Returns a busy frame without a page, or {@link #NO_FRAME}.
   *
   * @param steps most frames that the hand passes
   * @param mayWrite whether changed pages may be written for it
   */
  private int claimFrame(int steps, boolean mayWrite) {
    if (emptyCount == 0) {
      settleDone();
    }
    if (emptyCount > 0) {
      return empty[--emptyCount];
    }
    int unneededFrame = claimUnneeded();
    if (unneededFrame != NO_FRAME) {
      return unneededFrame;
    }
    for (int step = 0; step < steps; step++) {
      int frame = hand;
      hand = hand + 1 == frames ? 0 : hand + 1;
      int state = (int) STATE.getVolatile(states, frame);
      if ((state & (BUSY | PIN_MASK)) != 0) {
        continue;
      }
      if ((state & USED) != 0) {
        STATE.compareAndSet(states, frame, state, state & ~USED);
        continue;
      }
      if ((state & CHANGED) != 0 && !makeClean(frame, mayWrite)) {
        continue;
      }
      if (evict(frame)) {
        return frame;
      }
    }
    return NO_FRAME;
  }

  /** As {@link #claimFrame}, of a page of which it was said that it is not needed for a while. */
  private int claimUnneeded() {
    for (; unneededCount > 0; unneededCount--) {
      long key = unneeded[unneededCount - 1];
      int frame = (int) key;
      if (isUnneeded(key)) {
        boolean isChanged = ((int) STATE.getVolatile(states, frame) & CHANGED) != 0;
        if (isChanged && !writeUnneeded()) {
          return NO_FRAME;
        }
        if (evict(frame)) {
          unneededCount--;
          return frame;
        }
      }
    }
    return NO_FRAME;
  }

  /** Tells whether nobody has used the page since it was said that it is not needed. */
  private boolean isUnneeded(long key) {
    int frame = (int) key;
    int state = (int) STATE.getVolatile(states, frame);
    return owners[frame] != null
        && pages[frame] == (int) (key >>> 32)
        && (state & (BUSY | PIN_MASK | USED)) == 0;
  }

  /** Takes its page from a frame, if that is neither in use nor changed. */
  private boolean evict(int frame) {
    int state = (int) STATE.getVolatile(states, frame);
    if ((state & (BUSY | PIN_MASK | CHANGED)) != 0
        || !STATE.compareAndSet(states, frame, state, BUSY)) {
      return false;
    }
    evictions++;
    readAheadsWasted += (state & AHEAD) != 0 ? 1 : 0;
    disown(frame);
    return true;
  }

  /**
   * Lets a page make room before others, unless it is used before that.
   *
   * @param evenIfChanged whether it may be written for that
   */
  void wontNeed(FilePageStore store, int page, boolean evenIfChanged) {
    lock.lock();
    try {
      int frame = store.frameOf(page);
      if (frame != NO_FRAME
          && (evenIfChanged || ((int) STATE.getVolatile(states, frame) & CHANGED) == 0)) {
        STATE.getAndBitwiseAnd(states, frame, ~USED);
        if (unneededCount == unneeded.length) {
          unneededCount /= 2; // Hints that are old: most of these pages are in use again, or gone.
          System.arraycopy(unneeded, unneeded.length - unneededCount, unneeded, 0, unneededCount);
        }
        unneeded[unneededCount++] = key(frame);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Settles the waves read ahead that are done, so that nobody needs them to be used again. */
  private void settleDone() {
    for (PoolRead read : ahead.toArray(new PoolRead[0])) {
      if (read.finishIfDone()) {
        settle(read);
      }
    }
  }

  /** Gives a page that was never written a frame with zeros. */
  void fresh(FilePageStore store, int page) {
    long patience = 0;
    while (!tryFresh(store, page)) {
      store.beforeChange(); // If pages can't be written, that is why there is no frame.
      patience = waitForFrame(store, patience);
    }
  }

  private boolean tryFresh(FilePageStore store, int page) {
    lock.lock();
    try {
      store.checkPages(); // A store that was closed meanwhile must not have frames any more.
      int frame = claimFrame(2 * frames, true);
      if (frame == NO_FRAME) {
        return false;
      }
      region.segment().asSlice((long) frame << pageShift, pageBytes()).fill((byte) 0);
      own(frame, store, page);
      STATE.setRelease(states, frame, USED | CHANGED);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Forgets a page that was given back.
   *
   * @throws IllegalStateException if it is pinned
   */
  void discard(FilePageStore store, int page) {
    while (true) {
      PoolRead reading;
      lock.lock();
      try {
        int frame = store.frameOf(page);
        if (frame == NO_FRAME) {
          return;
        }
        reading = readsInto[frame];
        if (reading == null) {
          int state = (int) STATE.getVolatile(states, frame);
          if ((state & PIN_MASK) != 0 || !STATE.compareAndSet(states, frame, state, BUSY)) {
            throw new IllegalStateException("page " + page + " is taken back, but it is pinned");
          }
          vacate(frame);
          return;
        }
      } finally {
        lock.unlock();
      }
      await(reading);
    }
  }

  /** Forgets all pages of a store, changed or not. Pins that are held stay good until unpinned. */
  void forget(FilePageStore store) {
    PoolRead reading;
    while ((reading = forgetSettled(store)) != null) {
      await(reading);
    }
  }

  /** Forgets the pages that no wave is reading; returns one that is. */
  private @Nullable PoolRead forgetSettled(FilePageStore store) {
    lock.lock();
    try {
      PoolRead reading = null;
      for (int frame = 0; frame < frames; frame++) {
        if (owners[frame] != store) {
          continue;
        }
        if (readsInto[frame] != null) {
          reading = readsInto[frame];
          continue;
        }
        disown(frame);
        int state = (int) STATE.getAndBitwiseAnd(states, frame, ~CHANGED) & ~CHANGED;
        if ((state & PIN_MASK) == 0 && STATE.compareAndSet(states, frame, state, BUSY)) {
          empty[emptyCount++] = frame;
        }
      }
      return reading;
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- write

  /** Writes a page that was changed, with others, if that may be; tells whether it could. */
  private boolean makeClean(int frame, boolean mayWrite) {
    FilePageStore store = owners[frame];
    if (store == null) { // whoever had it pinned when it was forgotten has changed it later
      STATE.getAndBitwiseAnd(states, frame, ~CHANGED);
      return true;
    }
    return mayWrite && writeFrom(store, frame);
  }

  /** Writes changed pages of a store that the hand comes to next. Tells whether it could. */
  private boolean writeFrom(FilePageStore store, int first) {
    int count = 0;
    int frame = first;
    for (int step = 0; step < WRITE_STEPS * victims.length && step < frames; step++) {
      int state = (int) STATE.getVolatile(states, frame);
      if (owners[frame] == store && (state & (BUSY | PIN_MASK | USED | CHANGED)) == CHANGED) {
        victims[count++] = key(frame);
        if (count == victims.length) {
          break;
        }
      }
      frame = frame + 1 == frames ? 0 : frame + 1;
    }
    return tryWrite(store, count);
  }

  /** As {@link #writeFrom}, of the pages that are not needed for a while. */
  private boolean writeUnneeded() {
    FilePageStore store = Objects.requireNonNull(owners[(int) unneeded[unneededCount - 1]]);
    int count = 0;
    for (int i = unneededCount - 1; i >= 0 && count < victims.length; i--) {
      long key = unneeded[i];
      if (owners[(int) key] == store && isUnneeded(key)) {
        victims[count++] = key;
      }
    }
    return tryWrite(store, count);
  }

  /** Writes some frames, as far as they are changed. Tells whether it could. */
  private boolean tryWrite(FilePageStore store, int count) {
    Arrays.sort(victims, 0, count);
    try {
      write(store, victims, 0, count);
      return true;
    } catch (PageFileException failed) {
      return false; // the store takes no more changes, and says why
    }
  }

  /** Orders frames by their pages. */
  private long key(int frame) {
    return (long) pages[frame] << 32 | frame;
  }

  /**
   * Writes all changed pages of a store, none of which is being changed.
   *
   * @throws PageFileException if that fails
   */
  void writeAll(FilePageStore store) {
    long[] changed = changedOf(store);
    for (int from = 0; from < changed.length; from += writeBack.capacity()) {
      lock.lock();
      try {
        write(store, changed, from, Math.min(from + writeBack.capacity(), changed.length));
      } finally {
        lock.unlock();
      }
    }
  }

  private long[] changedOf(FilePageStore store) {
    lock.lock();
    try {
      long[] changed =
          IntStream.range(0, frames)
              .filter(frame -> owners[frame] == store)
              .filter(frame -> ((int) STATE.getVolatile(states, frame) & CHANGED) != 0)
              .mapToLong(this::key)
              .toArray();
      Arrays.sort(changed);
      return changed;
    } finally {
      lock.unlock();
    }
  }

  /** Writes those of some frames, in page order, that still have their pages and are changed. */
  private void write(FilePageStore store, long[] keys, int from, int to) {
    store.beforeOverwrite();
    int gathered = 0;
    for (int i = from; i < to; i++) {
      int frame = (int) keys[i];
      int page = (int) (keys[i] >>> 32);
      if (owners[frame] == store && pages[frame] == page && gather(store, frame, page)) {
        keys[from + gathered] = keys[i];
        gathered++;
      }
    }
    try {
      writeBack.write(store.file);
      written += gathered;
    } catch (RuntimeException failed) {
      for (int i = from; i < from + gathered; i++) {
        STATE.getAndBitwiseOr(states, (int) keys[i], CHANGED);
      }
      throw store.failed(failed);
    }
  }

  /**
   * Copies a changed page to where it is written from. Nobody may change it meanwhile: the frame is
   * busy, or if it is pinned, then for reading only.
   */
  private boolean gather(FilePageStore store, int frame, int page) {
    int state = (int) STATE.getVolatile(states, frame);
    boolean isPinned = (state & PIN_MASK) != 0;
    int next = isPinned ? state & ~CHANGED : (state & ~CHANGED) | BUSY;
    if ((state & (CHANGED | BUSY)) != CHANGED || !STATE.compareAndSet(states, frame, state, next)) {
      return false;
    }
    writeBack.add(store, page, region.segment(), (long) frame << pageShift);
    if (!isPinned) {
      STATE.getAndBitwiseAnd(states, frame, ~BUSY);
    }
    return true;
  }
}
