// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a store's file, each with room for one page: which are free, and which may be
 * written again where they are.
 *
 * <p>All calls are made under the lock of the pool's frames.
 */
final class SlotSpace {
  /* Overview
   *
   *     free -- take --> fresh -- capture --> captured -- settle --> durable -- settle --> free
   *
   * A slot is busy while a map refers to it: the current ones, those of the checkpoint that is
   * under way or of the last one, or those of a snapshot. It is fresh if it was taken since the
   * last capture, so that no checkpoint refers to it: then its page may be written again in place,
   * and it is free as soon as the page has gone. All else is free when a checkpoint that does not
   * refer to it is durable.
   */

  /** Most bytes by which a file grows at once; by an eighth of its length below that. */
  private static final long MOST_GROWTH_BYTES = 64L << 20;

  /** Writes leave this part of the slots free for removals, so that these need few checkpoints. */
  private static final int KEPT_PART = 64;

  /** Fewest slots that writes leave free: one change may touch some pages per level. */
  private static final int LEAST_KEPT = 64;

  /** Most slots that writes leave free; more would hardly make removals faster. */
  private static final int MOST_KEPT = 4096;

  /** A file that is closed keeps this part of what is in use free, rather than have more moved. */
  private static final int CLOSED_PART = 5;

  /** Fewest bytes by which a file grows at once. */
  private static final long LEAST_GROWTH_BYTES = 1L << 20;

  private static final int MOST_SLOTS = Integer.MAX_VALUE - 8;

  private final PageFile file;
  private final int pageBytes;

  /** The slots before this one are the headers'. */
  private final int first;

  /** Chooses any free slot, where a test wants to see that nothing depends on a tidy order. */
  private final @Nullable RandomGenerator scatter;

  private final Set<Rule> without;

  private final BitSet busy = new BitSet();
  private int busyCount;
  private final BitSet fresh = new BitSet();

  /** Given out in a run, and not written yet. */
  private final BitSet unwritten = new BitSet();

  private final BitSet current = new BitSet();
  private BitSet captured = new BitSet();
  private BitSet durable = new BitSet();
  private final List<BitSet> held = new ArrayList<>();

  /** Slots that the file has room for; to be looked at without the lock. */
  private volatile int room;

  private int hand;

  /** No slot before this one is free. */
  private int lowest;

  /** Slots that are kept free for the next checkpoint. */
  private int reserved;

  /** How often a page of a tree was written; to be looked at without the lock. */
  private final LongAdder writtenCount = new LongAdder();

  /** Slots that are free and not reserved, to be looked at without the lock. */
  private volatile int available;

  /** Why the last page could not be written to a slot that it had, null if it could. */
  private @Nullable NoSlotException refusal;

  SlotSpace(PageFile file, int pageBytes, @Nullable RandomGenerator scatter) {
    this(file, pageBytes, scatter, Set.of());
  }

  SlotSpace(PageFile file, int pageBytes, @Nullable RandomGenerator scatter, Set<Rule> without) {
    this.without = without;
    this.file = file;
    this.pageBytes = pageBytes;
    this.scatter = scatter;
    this.first = (int) (StoreHeader.areaBytes(pageBytes) / pageBytes);
    this.hand = first;
    this.lowest = first;
    this.room = slotsIn(file.bytes());
  }

  private int slotsIn(long bytes) {
    return (int) Math.min(bytes / pageBytes, MOST_SLOTS);
  }

  /** Returns the number of the first slot. */
  int first() {
    return first;
  }

  /** Returns how many slots the file has room for, those of the headers included. */
  int room() {
    return room;
  }

  /** Returns how many slots are busy. */
  int busyCount() {
    return busyCount;
  }

  /** Returns how often a page of a tree was written; without the lock. */
  long writtenCount() {
    return writtenCount.sum();
  }

  /** Returns where in the file a slot is. */
  long position(int slot) {
    return (long) slot * pageBytes;
  }

  /** Returns the slot at a position. */
  int slotAt(long position) {
    return (int) (position / pageBytes);
  }

  /** Tells whether a slot has been written since it was taken. */
  boolean isWritten(int slot) {
    return slot >= first && !unwritten.get(slot);
  }

  /** Tells whether a slot may be written in place: nothing durable refers to it. */
  boolean isFresh(int slot) {
    return fresh.get(slot);
  }

  // ---------------------------------------------------------------- take

  /** Returns how many slots are free besides those that are reserved; without the lock. */
  int available() {
    return available;
  }

  /**
   * Returns how many slots a change leaves free, unless it is a removal: on a full device that is
   * what makes room, by changing pages that are there. Without the lock.
   */
  int kept() {
    return Math.clamp(room / KEPT_PART, LEAST_KEPT, MOST_KEPT);
  }

  /** Keeps slots free for the next checkpoint. */
  void reserve(int slots) {
    reserved = slots;
    noteAvailable();
  }

  /** Keeps more slots free for the next checkpoint. */
  void reserveMore(int slots) {
    reserve(reserved + slots);
  }

  private void noteAvailable() {
    available = refusal != null ? 0 : (int) Math.max(0, freeCount() - reserved);
  }

  /**
   * Notes that the device has no room for a page that has a slot, as on file systems that never
   * write in place: no changes are taken until a page can be written again.
   */
  void noteRefusal(NoSlotException full) {
    refusal = full;
    noteAvailable();
  }

  /** Notes that the device takes pages. */
  void noteRoom() {
    if (refusal != null) {
      refusal = null;
      noteAvailable();
    }
  }

  /**
   * Makes sure that a given number of slots are free besides those that are reserved, and lets the
   * file grow if need be.
   *
   * @throws NoSlotException if there is no room on the device
   */
  void ensureAvailable(int count) {
    if (refusal != null) {
      throw refusal;
    }
    room = Math.max(room, slotsIn(file.bytes())); // As others may have it, without the lock.
    noteAvailable();
    ensureFree(reserved + count);
  }

  /** Returns how long the file is to be for the same; 0 if it is so long, or can't be. */
  long bytesFor(int count) {
    long needed = room + Math.max(0, (long) reserved + count - freeCount());
    boolean grows = needed > room && needed <= MOST_SLOTS && refusal == null;
    return grows ? position((int) generous(needed)) : 0;
  }

  /**
   * Makes sure that a given number of slots are free, and lets the file grow if need be.
   *
   * @throws NoSlotException if there is no room on the device
   */
  void ensureFree(int count) {
    long lacking = count - freeCount();
    if (lacking > 0) {
      grow(lacking);
    }
  }

  private long freeCount() {
    return (long) room - first - busyCount;
  }

  /** Makes the file longer: generously if the device has room, else by what is needed. */
  private void grow(long lacking) {
    long needed = room + lacking;
    if (needed > MOST_SLOTS) {
      throw new NoSlotException(
          new PageFileException(
              file.path(), "has the most pages that a file can have", Errno.EFBIG));
    }
    try {
      growTo(generous(needed));
    } catch (NoSlotException full) {
      growTo(needed);
    }
  }

  private long generous(long needed) {
    long step = Math.clamp((long) room * pageBytes / 8, LEAST_GROWTH_BYTES, MOST_GROWTH_BYTES);
    return Math.max(needed, slotsIn(position(room) + step));
  }

  private void growTo(long slots) {
    try {
      file.grow(slots * pageBytes);
      room = (int) slots;
      noteAvailable();
    } catch (PageFileException failed) {
      throw isFull(failed) ? new NoSlotException(failed) : failed;
    }
  }

  /** Tells whether a failure says that there is no room, and nothing worse. */
  static boolean isFull(PageFileException failure) {
    int errno = failure.errno();
    return errno == Errno.ENOSPC || errno == Errno.EDQUOT || errno == Errno.EFBIG;
  }

  /**
   * Takes a slot: the next one that is free after the last one taken, so that pages that are
   * written together lie together.
   *
   * @throws NoSlotException if there is no room on the device
   */
  int take() {
    ensureFree(1);
    int from = scatter == null ? hand : scatter.nextInt(first, room);
    int slot = busy.nextClearBit(from);
    if (slot >= room) {
      slot = busy.nextClearBit(first);
    }
    noteTaken(slot);
    hand = slot + 1;
    return slot;
  }

  /**
   * Takes the first slot that is free, for a page of a map or the catalogue: so these never keep
   * the end of the file from being given back.
   *
   * @throws NoSlotException if there is no room on the device
   */
  int takeLowest() {
    if (scatter != null) {
      return take();
    }
    ensureFree(1);
    int slot = busy.nextClearBit(lowest);
    noteTaken(slot);
    lowest = slot + 1;
    return slot;
  }

  /**
   * Takes slots for pages that are read together: consecutive ones, the first gap that is wide
   * enough or the end of the file, or any where the device has no room for that.
   *
   * @throws NoSlotException if there is no room on the device
   */
  int[] takeRun(int count) {
    int start = startOfGap(count);
    try {
      if (start + (long) count > room) {
        grow(start + (long) count - room);
      }
    } catch (NoSlotException full) {
      if (freeCount() < count) {
        throw full;
      }
      start = first;
    }
    int[] slots = new int[count];
    int taken = 0;
    try {
      for (; taken < count; taken++) {
        slots[taken] = busy.nextClearBit(taken == 0 ? start : slots[taken - 1] + 1);
        noteTaken(slots[taken]);
        unwritten.set(slots[taken]);
      }
      return slots;
    } catch (OutOfMemoryError lacking) {
      for (int i = 0; i <= taken; i++) {
        release(slots[i]);
      }
      throw lacking;
    }
  }

  private int startOfGap(int count) {
    int start = busy.nextClearBit(first);
    int end = busy.nextSetBit(start);
    while (end >= 0 && end - start < count) {
      start = busy.nextClearBit(end);
      end = busy.nextSetBit(start);
    }
    return start;
  }

  private void noteTaken(int slot) {
    try {
      current.set(slot);
      fresh.set(slot);
      busy.set(slot);
    } catch (OutOfMemoryError lacking) {
      current.clear(slot);
      fresh.clear(slot);
      throw lacking;
    }
    busyCount++;
    noteAvailable();
  }

  /** Notes that a page of a tree was written to a slot. */
  void noteWritten(int slot) {
    noteRoom();
    unwritten.clear(slot);
    writtenCount.increment();
  }

  /** Gives up a slot that the current maps do not refer to any more. */
  void release(int slot) {
    current.clear(slot);
    unwritten.clear(slot);
    if (fresh.get(slot)) {
      fresh.clear(slot);
      busy.clear(slot);
      busyCount--;
      lowest = Math.min(lowest, slot);
      noteAvailable();
    }
  }

  /**
   * Takes a slot for a page of a map, and gives up the one that it had.
   *
   * @param old 0 if it had none
   */
  int replace(int old) {
    if (old != 0 && without.contains(Rule.MAPS_ARE_NEVER_IN_PLACE)) {
      return old;
    }
    int slot = takeLowest();
    if (old != 0) {
      release(old); // Last: if none could be taken, the map still refers to it.
    }
    return slot;
  }

  // ---------------------------------------------------------------- checkpoints

  /** Notes a slot to which the maps of an opened store refer. */
  void noteLoaded(int slot) {
    current.set(slot);
  }

  /** Tells whether a map of an opened store refers to a slot already. */
  boolean isLoaded(int slot) {
    return current.get(slot);
  }

  /** Ends the loading of maps: what they refer to is durable, all else is free. */
  void loaded() {
    durable = copy(current);
    recount();
  }

  /** Captures the current maps: their slots are not written in place any more. */
  void capture() {
    captured = copy(current);
    captured.andNot(unwritten);
    if (!without.contains(Rule.CAPTURED_SLOTS_ARE_NOT_FRESH)) {
      fresh.and(unwritten);
    }
    if (without.contains(Rule.DURABLE_SLOTS_STAY_BUSY)) {
      durable = new BitSet();
      recount();
    }
    if (without.contains(Rule.TRUNCATION_COMES_AFTER_THE_HEADER)) {
      truncateTo(Math.min(room, capturedEnd() + reserved));
    }
  }

  /** Returns the slot behind the last one that was captured. */
  int capturedEnd() {
    return Math.max(first, captured.length());
  }

  /** Notes that the captured checkpoint is durable: what only the one before refers to is free. */
  void settle() {
    durable = captured;
    captured = new BitSet();
    recount();
  }

  /** Tells whether the next checkpoint would make slots free that only the last one needs. */
  boolean hasSlotsOfLastOnly() {
    BitSet slots = copy(durable);
    slots.andNot(current);
    held.forEach(slots::andNot);
    return !slots.isEmpty();
  }

  /** Keeps the slots of the last durable checkpoint until they are {@link #letGo}. */
  BitSet hold() {
    BitSet slots = copy(durable);
    held.add(slots);
    return slots;
  }

  /** Gives up what {@link #hold} has returned. */
  @SuppressWarnings("ReferenceEquality") // Two may hold the same slots, each by itself.
  void letGo(BitSet slots) {
    held.removeIf(each -> each == slots);
    recount();
  }

  private void recount() {
    busy.clear();
    busy.or(current);
    busy.or(captured);
    busy.or(durable);
    if (!without.contains(Rule.SNAPSHOTS_HOLD_THEIR_SLOTS)) {
      held.forEach(busy::or);
    }
    busyCount = busy.cardinality();
    lowest = first;
    noteAvailable();
  }

  private static BitSet copy(BitSet bits) {
    return (BitSet) bits.clone();
  }

  // ---------------------------------------------------------------- inspect

  /**
   * Which slots are what, at one moment.
   *
   * @param room slots that the file has room for
   * @param busyCount how many are said to be busy
   * @param held by snapshots
   */
  record Account(
      int room,
      int busyCount,
      BitSet busy,
      BitSet fresh,
      BitSet unwritten,
      BitSet current,
      BitSet durable,
      List<BitSet> held) {}

  /** Returns the account of all slots; no checkpoint is under way. */
  Account account() {
    return new Account(
        room,
        busyCount,
        copy(busy),
        copy(fresh),
        copy(unwritten),
        copy(current),
        copy(durable),
        held.stream().map(SlotSpace::copy).toList());
  }

  // ---------------------------------------------------------------- shrink

  /** Returns the slot behind the last one that is busy. */
  int end() {
    return Math.max(first, busy.length());
  }

  /**
   * Returns a length of the file with room for all that is in use and for the next checkpoint, and
   * with all that snapshots hold. From now on the first free slots are taken.
   */
  int leastEnd() {
    BitSet used = copy(current);
    int heldEnd = 0;
    for (BitSet slots : held) {
      used.or(slots);
      heldEnd = Math.max(heldEnd, slots.length());
    }
    hand = first;
    return Math.max(heldEnd, first + used.cardinality() + reserved);
  }

  /**
   * Returns a length of the file that leaves little of it free, or a longer one behind which no
   * more than some slots are in use. From now on the first free slots are taken.
   */
  int closedEnd(int most) {
    long used = current.cardinality();
    long spacious = Math.max(leastEnd() + (long) kept(), first + used + used / CLOSED_PART);
    int least = (int) Math.min(spacious, room);
    int end = current.length();
    for (int moved = 0; end > least && moved < most; moved++) {
      end = current.previousSetBit(end - 1);
    }
    return Math.max(least, end);
  }

  /** Returns how many slots from one on the current maps refer to. */
  int currentFrom(int mark) {
    return current.get(mark, Math.max(mark, current.length())).cardinality();
  }

  /** Takes the next free slot, if there is one below a mark; returns 0 if not. */
  int takeBelow(int mark) {
    int slot = busy.nextClearBit(scatter == null ? hand : first);
    if (slot >= Math.min(mark, room)) {
      return 0;
    }
    noteTaken(slot);
    hand = slot + 1;
    return slot;
  }

  /** Makes the file as short as its busy slots allow, but not shorter than some slots. */
  void cut(int least) {
    int slots = Math.max(end(), least);
    if (slots < room) {
      truncateTo(slots);
    }
  }

  /**
   * Makes the file as short as its busy slots and those that are reserved allow, if that gives back
   * much of it.
   */
  void truncate() {
    int least = Math.min(room, end() + reserved);
    long spare = position(room) - position(least);
    if (spare > Math.max(2 * LEAST_GROWTH_BYTES, position(room) / 2)) {
      truncateTo(least);
    }
  }

  /** Shortens the file to a given number of slots; none of the slots behind is busy. */
  void truncateTo(int slots) {
    file.truncate(position(slots));
    room = slots;
    hand = first;
    noteAvailable();
  }
}
