// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.Invariants.check;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks an open store: in memory, and in its files. Nobody writes meanwhile, and no checkpoint is
 * made; readers go on, and may cause changed pages to be written.
 */
final class StoreVerifier {
  /* Overview
   *
   * Invariants; a checkpoint here is the last durable one, or one that a snapshot holds:
   *   I1  Among the slots of the current maps, of their own pages and of the catalogue none occurs
   *       twice, and all are slots of the file; so it is with each checkpoint, as it can be read
   *       from the file.
   *   I2  A slot is common to the current maps and a checkpoint only for the same page of the same
   *       index, with the same checksum.
   *   I3  In the slot of every page of every map is that page, of that index, with the checksum that
   *       the map has, and written for the next checkpoint at the latest.
   *   I4  The slots of the current maps, those of checkpoints and the busy ones are what the account
   *       of slots says. A fresh slot is of the current maps, and of no checkpoint; an unwritten one
   *       is fresh.
   *   I5  The newest header in the file is the one that the store goes by, and that of the
   *       checkpoint before is there. All copies are of this store and where they belong; older
   *       ones have no later epoch or record. One copy of each may be damaged, or older: power was
   *       lost while it was written.
   *   I6  The log goes on from the checkpoint in a segment that there is.
   *   I7  From there on records have consecutive numbers and one epoch, up to the last one appended;
   *       none tells of a later checkpoint.
   *   I8  Segments in use are consecutive, and their first blocks say so.
   *   I9  The file is as long as the account of slots says; nothing that is busy, and nothing that
   *       the header promises, is behind its end.
   *   I10 What the checkpoint has, and what is durable, was appended.
   *   I11 A page has an entry in the map if and only if it is in use; but for new ones that are in
   *       their frames and were never written.
   *   I12 Every index is sound, by the invariants of its tree.
   *   I13 An entry of a current map that is not what the last checkpoint says is noted as changed,
   *       so that the next one says it. A page of which deltas tell is in a chunk that is noted as
   *       changed, so that it is written when there are no deltas any more.
   */

  private final StoreState state;
  private final Checkpoints checkpoints;
  private final ProgressListener listener;
  private long done;
  private long total;

  StoreVerifier(StoreState state, Checkpoints checkpoints, ProgressListener listener) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.listener = listener;
  }

  /**
   * Checks all; the caller holds the locks of checkpoints and of writing.
   *
   * @throws InvariantViolationException for the first invariant that does not hold
   */
  void verify() {
    try {
      verifyAll();
    } catch (InvariantViolationException violation) {
      throw named(violation);
    }
  }

  /** Returns a violation with the name of the file. */
  private InvariantViolationException named(InvariantViolationException violation) {
    String message = String.valueOf(violation.getMessage());
    String detail = message.substring(violation.invariant().length() + 2);
    return violation(violation.invariant(), state.path + ": " + detail, violation);
  }

  private void verifyAll() {
    verifyHeaders();
    if (!state.condition.isReadOnly()) {
      state.log.awaitWithSegment(state.log.appended());
      new LogVerifier(state.header, state.log).verify();
    }
    BitSet read = verifyCurrent();
    verifyCheckpoints(read);
    verifyTrees();
  }

  private void progress(long pages) {
    done += pages;
    if (!listener.onProgress(done, total)) {
      throw new CancellationException(state.path + ": verifying was cancelled");
    }
  }

  // ---------------------------------------------------------------- headers

  private void verifyHeaders() {
    StoreHeader header = state.header;
    int newest = 0;
    long before = -1;
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      StoreHeader found = StoreHeaders.copy(state.file, state.pageBytes(), copy);
      if (found == null) {
        continue;
      }
      check(
          found.storeId() == header.storeId() && found.checkpoint() % 2 == copy % 2,
          "I5",
          "copy %d of the header is that of another store or place: %s",
          copy,
          found);
      if (found.equals(header)) {
        newest++;
        continue;
      }
      check(
          found.checkpoint() < header.checkpoint()
              && found.epoch() <= header.epoch()
              && found.sequence() <= header.sequence(),
          "I5",
          "copy %d of the header is %s, but the store goes by %s",
          copy,
          found,
          header);
      before = Math.max(before, found.checkpoint());
    }
    check(newest > 0, "I5", "the file does not have the header that the store goes by: %s", header);
    check(
        before == header.checkpoint() - 1,
        "I5",
        "the header before that of checkpoint %d is that of %d",
        header.checkpoint(),
        before);
  }

  // ---------------------------------------------------------------- what is in memory

  /** Checks the current maps and their pages; returns the slots of pages that were read. */
  private BitSet verifyCurrent() {
    BitSet read = new BitSet();
    state.pool.lockWithoutWrites();
    try {
      SlotSpace.Account account = state.space.account();
      BitSet claimed = new BitSet();
      for (int slot : checkpoints.catalogueSlots()) {
        claim(claimed, slot, account.room(), "the catalogue");
      }
      for (IndexPages index : state.indexes.values()) {
        verifyMap(index, claimed, account);
        verifyNumbers(index);
      }
      verifyAccount(account, claimed);
      total = account.busy().cardinality();
    } finally {
      state.pool.frames.lock.unlock();
    }
    for (IndexPages index : state.indexes.values()) {
      readPages(index, read, "");
    }
    return read;
  }

  private void claim(BitSet claimed, int slot, int room, String what) {
    check(
        slot >= state.space.first() && slot < room,
        "I1",
        "%s should be in slot %d of %d",
        what,
        slot,
        room);
    check(!claimed.get(slot), "I1", "%s is in slot %d, and so is something else", what, slot);
    claimed.set(slot);
  }

  private void verifyMap(IndexPages index, BitSet claimed, SlotSpace.Account account) {
    for (int slot : index.map.ownSlots()) {
      claim(claimed, slot, account.room(), "a page of the map of index '" + index.name + "'");
    }
    for (int page = 1; page < index.map.end(); page++) {
      int slot = index.map.slot(page);
      if (slot != 0 && slot != PageMap.UNWRITTEN) {
        claim(claimed, slot, account.room(), place(index, page));
      }
    }
  }

  private static String place(IndexPages index, int page) {
    return "page %d of index '%s'".formatted(page, index.name);
  }

  private void verifyNumbers(IndexPages index) {
    OpenIndex open = state.open.get(index.name);
    int end = Math.max(index.map.end(), index.numbers.top() + 1);
    for (int page = 1; page < end; page++) {
      boolean isInUse = index.numbers.isInUse(page);
      boolean hasEntry = index.map.slot(page) != 0;
      boolean isNew =
          isInUse && !hasEntry && open != null && open.pages().frameOf(page) != Frames.NONE;
      check(
          isInUse == hasEntry || isNew,
          "I11",
          "%s is %s, but its slot is %d",
          place(index, page),
          isInUse ? "in use" : "free",
          index.map.slot(page));
    }
  }

  private void verifyAccount(SlotSpace.Account account, BitSet claimed) {
    same(claimed, account.current(), "the current maps have slots");
    BitSet busy = (BitSet) account.current().clone();
    BitSet ofCheckpoints = (BitSet) account.durable().clone();
    account.held().forEach(ofCheckpoints::or);
    busy.or(ofCheckpoints);
    same(busy, account.busy(), "in use are slots");
    check(
        account.busyCount() == busy.cardinality(),
        "I4",
        "%d slots are in use, but %d are counted",
        busy.cardinality(),
        account.busyCount());
    none(account.fresh(), ofCheckpoints, "is fresh, but of a checkpoint");
    BitSet other = (BitSet) account.fresh().clone();
    other.andNot(account.current());
    none(other, other, "is fresh, but not of the current maps");
    other = (BitSet) account.unwritten().clone();
    other.andNot(account.fresh());
    none(other, other, "is unwritten, but not fresh");
    long bytes = state.file.bytes();
    check(
        bytes >= state.space.position(account.room()),
        "I9",
        "the file has %d bytes, which is less than %d slots",
        bytes,
        account.room());
    check(
        busy.length() <= account.room() && state.header.slots() <= account.room(),
        "I9",
        "the file has %d slots, but slot %d is in use, and the header tells of %d",
        account.room(),
        busy.length() - 1,
        state.header.slots());
  }

  private static void same(BitSet found, BitSet stated, String what) {
    BitSet difference = (BitSet) found.clone();
    difference.xor(stated);
    int slot = difference.nextSetBit(0);
    check(
        slot < 0,
        "I4",
        "%s %s the account of slots, slot %d first",
        what,
        slot >= 0 && found.get(slot) ? "that are missing in" : "other than",
        slot);
  }

  private static void none(BitSet some, BitSet others, String what) {
    BitSet both = (BitSet) some.clone();
    both.and(others);
    check(both.isEmpty(), "I4", "slot %d %s", both.nextSetBit(0), what);
  }

  // ---------------------------------------------------------------- checkpoints

  private void verifyCheckpoints(BitSet read) {
    StoreWriter writer = new StoreWriter(state, checkpoints);
    try (Snapshot durable = unlessCorrupt(() -> Snapshot.hold(state, writer))) {
      verifyChanges(verifyCheckpoint(durable, read));
    }
    for (Snapshot snapshot : new ArrayList<>(state.snapshots)) {
      snapshot.lock.lock();
      try {
        if (!snapshot.isClosed()) {
          verifyCheckpoint(snapshot, read);
        }
      } finally {
        snapshot.lock.unlock();
      }
    }
  }

  private static <T> T unlessCorrupt(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (CorruptPageException damage) {
      throw violation("I1", "a catalogue or map can't be read: " + damage.getMessage(), damage);
    }
  }

  private static InvariantViolationException violation(
      String invariant, String what, Throwable cause) {
    InvariantViolationException violation = new InvariantViolationException(invariant, what);
    violation.initCause(cause);
    return violation;
  }

  /** Checks a checkpoint, and returns its indexes. */
  private List<IndexPages> verifyCheckpoint(Snapshot snapshot, BitSet read) {
    Snapshot.Contents contents = unlessCorrupt(snapshot::contents);
    same(
        contents.slots(),
        snapshot.slots(),
        "checkpoint %d has slots".formatted(snapshot.checkpoint()));
    Map<Integer, IndexPages> current = new HashMap<>();
    state.indexes.values().forEach(index -> current.put(index.id, index));
    for (IndexPages index : contents.indexes()) {
      state.pool.lockWithoutWrites();
      try {
        verifyShared(index, current.get(index.id), snapshot.checkpoint());
      } finally {
        state.pool.frames.lock.unlock();
      }
      readPages(index, read, " of checkpoint " + snapshot.checkpoint());
    }
    return contents.indexes();
  }

  private void verifyChanges(List<IndexPages> durable) {
    state.pool.lockWithoutWrites();
    try {
      for (IndexPages then : durable) {
        IndexPages now = state.indexes.get(then.name);
        if (now != null && now.id == then.id) {
          String fault = now.map.faultAfter(then.map, state.space);
          check(fault == null, "I13", "the map of index '%s': %s", now.name, fault);
        }
      }
    } finally {
      state.pool.frames.lock.unlock();
    }
  }

  private void verifyShared(IndexPages then, @Nullable IndexPages now, long checkpoint) {
    BitSet current = state.space.account().current();
    for (int page = 1; page < then.map.end(); page++) {
      int slot = then.map.slot(page);
      boolean isShared = slot > PageMap.UNWRITTEN && current.get(slot);
      check(
          !isShared
              || (now != null
                  && now.map.slot(page) == slot
                  && now.map.checksum(page) == then.map.checksum(page)),
          "I2",
          "%s of checkpoint %d is in slot %d, where now something else is",
          place(then, page),
          checkpoint,
          slot);
    }
  }

  // ---------------------------------------------------------------- pages

  /** Reads and checks those pages of an index that are in slots which were not read. */
  private void readPages(IndexPages index, BitSet read, String when) {
    try (PageBatch batch = new PageBatch(state.pageBytes())) {
      int page = 1;
      while (page < index.map.end()) {
        // No page gets another slot meanwhile.
        state.pool.lockWithoutWrites();
        try {
          page = readNext(index, page, read, batch);
        } finally {
          state.pool.frames.lock.unlock();
        }
        verifyRead(index, batch, when);
        progress(batch.count());
        batch.clear();
      }
    }
  }

  private int readNext(IndexPages index, int from, BitSet read, PageBatch batch) {
    int page = from;
    for (; page < index.map.end() && !batch.isFull(); page++) {
      int slot = index.map.slot(page);
      if (state.space.isWritten(slot) && !read.get(slot)) {
        batch.add(page, slot, index.map.checksum(page));
        read.set(slot);
      }
    }
    batch.read(state.file);
    return page;
  }

  private void verifyRead(IndexPages index, PageBatch batch, String when) {
    for (int i = 0; i < batch.count(); i++) {
      String what = place(index, batch.page(i)) + when + ", in slot " + batch.slot(i) + ", ";
      String fault = batch.fault(i, index.id);
      check(fault == null, "I3", "%s%s", what, fault);
      long checkpoint = PageSeal.checkpointOf(batch.tag(i));
      check(
          checkpoint <= state.header.checkpoint() + 1,
          "I3",
          "%swas written for checkpoint %d, after %d",
          what,
          checkpoint,
          state.header.checkpoint());
    }
  }

  // ---------------------------------------------------------------- trees

  private void verifyTrees() {
    for (IndexPages index : state.indexes.values()) {
      OpenIndex open = state.open.get(index.name);
      if (open != null) {
        verifyTree(index, open);
      } else {
        OpenIndex closed = openTree(index, new StoreWriter(state, checkpoints));
        try {
          verifyTree(index, closed);
        } finally {
          closed.closeTree();
        }
      }
    }
  }

  private OpenIndex openTree(IndexPages index, StoreWriter writer) {
    try {
      return state.openAny(index, writer);
    } catch (CorruptPageException broken) {
      throw violation(index, broken);
    } catch (IllegalArgumentException unknown) {
      throw new IllegalArgumentException(
          "index '%s' of %s is to be opened before it is verified: %s"
              .formatted(index.name, state.path, unknown.getMessage()),
          unknown);
    }
  }

  private void verifyTree(IndexPages index, OpenIndex tree) {
    try {
      tree.verifyTree((_, _) -> listener.onProgress(done, total));
    } catch (InvariantViolationException | CorruptPageException broken) {
      throw violation(index, broken);
    }
  }

  private static InvariantViolationException violation(IndexPages index, RuntimeException broken) {
    return violation("I12", "index '" + index.name + "': " + broken.getMessage(), broken);
  }
}
