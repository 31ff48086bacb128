// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.Torn;
import dev.espalier.tree.StoreChange;
import dev.espalier.tree.StoreTree;

/** The nodes of one BFTL, their sectors and the reservation buffer. */
final class BftlStructure extends StoreTree {
  /* Overview
   *
   *   reservation buffer   pages of units that wait
   *   sectors              pages of units, written once, each with units of several nodes
   *   node table           node -> its sectors, oldest first, and where in them    (on the heap)
   *
   * A unit is a change of one node: an entry, or a child under its separator, that comes or goes. To
   * a child belong the keys from its separator on, and to the first those below, too. A node is what
   * its units make of it, first those of its sectors, then those in the buffer. When the buffer is
   * full, BftlCommit packs its units into as few sectors as first-fit finds. A node whose list is at
   * its bound is written anew, whole; so are the nodes of a split.
   *
   * Nobody goes through all units of a sector. The table says which are a node's, and what the order
   * of their keys is: that in which they are, where a node is written whole; else an array tells. So
   * what is sought in a node is found by a binary search in each of its sectors, and a cursor replays
   * a part of a leaf. An inner node is replayed if the unit that was found says that a child has gone.
   *
   * Invariants, checked by BftlVerifier. In brackets those of the algorithm's usual description.
   *   I1  Sectors and the pages of the buffer are in use by the store's account, and no others are.
   *   I2  A list is no longer than its bound, and its sectors have ascending sequence numbers.  [N2]
   *   I3  The units of a page are counted, of known operations, and those of a sector are of nodes
   *       one after the other.                                                                 [N3]
   *   I4  A node's list has just the sectors with its units since it was last written anew, where
   *       they are there, and the order of their keys.                                    [N1, N5]
   *   I5  A sector is referred to as often as it is in lists, and the buffer's units are listed by
   *       their nodes, in the order of their keys.                                            [N4]
   *   I6  The keys of a node are within its bounds, and its entries are counted and fit.    [N3, N8]
   *   I7  Each node is in one place, and only the root may be empty.                            [N8]
   *   I8  The size is the number of entries.                                                    [N6]
   *   I9  No key has an entry that is in a range which readers have found dead.
   *
   * Deviations from the paper:
   *   D1  The reservation buffer is in pages of the store, so that it is not lost. Who looks for a
   *       unit there uses all of them, and who takes some out writes all: so a pool keeps them, and
   *       what is transferred does not depend on where units are.
   *   D2  Nodes that split are written at once, with their parent's units.
   *   D3  Nodes are removed when they are empty; they are never merged.
   *   D4  When there is no room for sectors, all nodes are written anew, close together, if that
   *       saves enough of them. If it does not, values are replaced and entries are removed by a
   *       change of the newest unit of their key, in its sector.
   *   D5  A range is removed by whole leaves where all of their entries are in it.
   */

  /** The meta word of the first page of the reservation buffer. */
  static final int BUFFER = FIRST_OWN;

  /** The meta word of the number of sectors ever written. */
  static final int SEQUENCE = FIRST_OWN + 1;

  private static final int SHAPE = FIRST_OWN + 2;

  /** "BFTL" and a version. */
  private static final long OWN_STAMP = 0x4246_544C_0000_0001L;

  static final int MIN_PAGE_BYTES = 256;

  /** No unit, where the offset of one would be. */
  static final long NO_UNIT = -1;

  final SectorPage layout;
  final NodeTable table = new NodeTable();

  /** Where readers have found only what was removed. */
  final DeadRanges dead = new DeadRanges();

  final StoreChange change;
  final int bufferPages;
  final int listBound;

  /** Most entries of a node: with the unit that begins it, it fits into one sector. */
  final int capacity;

  private final BftlCommit commit;

  BftlStructure(PageStore store, BftlTree.Geometry geometry) {
    int pageBytes = store.pageBytes();
    if (pageBytes < MIN_PAGE_BYTES) {
      throw new IllegalArgumentException(
          "pageBytes is " + pageBytes + "; a BFTL needs at least " + MIN_PAGE_BYTES);
    }
    super(store, 2); // To probes that wait, the whole index is one level.
    this.layout = new SectorPage(pageBytes);
    this.capacity = layout.capacity - 1;
    this.bufferPages = geometry.bufferPages();
    this.listBound = geometry.listBound();
    this.change = new StoreChange(this);
    this.commit = new BftlCommit(this);
    if (open()) {
      if (meta[SHAPE] != shape()) {
        throw new IllegalArgumentException(
            "store holds a BFTL of another geometry: %x, not %x".formatted(meta[SHAPE], shape()));
      }
      new TableScan(this).run();
    }
  }

  /**
   * Returns the proportions of the tree that a store holds, or the default ones if it holds none.
   */
  static BftlTree.Geometry geometryIn(PageStore store) {
    long[] meta = store.meta();
    return meta[STAMP] == OWN_STAMP
        ? new BftlTree.Geometry((int) (meta[SHAPE] >>> 32), (int) meta[SHAPE])
        : BftlTree.Geometry.DEFAULT;
  }

  private long shape() {
    return (long) bufferPages << 32 | listBound;
  }

  @Override
  protected long stamp() {
    return OWN_STAMP;
  }

  @Override
  protected StoreChange change() {
    return change;
  }

  @Override
  protected void plant() {
    table.clear();
    dead.clear();
    meta[BUFFER] = FIRST_PAGE;
    meta[SIZE] = 0;
    meta[HEIGHT] = 1;
    meta[SEQUENCE] = 0;
    meta[SHAPE] = shape();
    int first = store.allocate(bufferPages);
    refresh();
    meta[BUFFER] = first;
    meta[ROOT] = table.take();
    for (int i = 0; i < bufferPages; i++) {
      long page = store.pinFresh(first + i);
      SectorPage.count(pages, page, 0);
      SectorPage.sequence(pages, page, 0);
      store.unpin(page, true);
    }
  }

  @Override
  protected StoreTree over(PageStore other) {
    return new BftlStructure(other, new BftlTree.Geometry(bufferPages, listBound));
  }

  @Override
  protected void adopted() {
    new TableScan(this).run();
  }

  int buffer(int i) {
    return (int) meta[BUFFER] + i;
  }

  // ---------------------------------------------------------------- read

  /**
   * Replays a node; its units in the buffer come last. On the way it may have more entries than
   * fit: a unit that was changed in its sector (D4) may put what others have made room for since.
   */
  void read(int node, NodeContent into) {
    into.count = 0;
    for (long run : table.runs(node)) {
      replayRun(run, into);
    }
    UnitOrder waiting = table.waiting(node);
    if (waiting != null) {
      touchBuffer();
      for (int slot : waiting.inTurn()) {
        long unit = pinWaiting(slot);
        replay(unit, into);
        store.unpin(unit, false);
      }
    }
    if (into.count > capacity) {
      throw Torn.torn("node " + node + " has more than " + capacity + " entries");
    }
  }

  private void replayRun(long run, NodeContent into) {
    long page = store.pin(UnitRun.sector(run));
    int end = UnitRun.first(run) + UnitRun.units(run);
    for (int slot = UnitRun.first(run); slot < end; slot++) {
      replay(SectorPage.unit(page, slot), into);
    }
    store.unpin(page, false);
  }

  private void replay(long unit, NodeContent into) {
    into.makeRoom(1);
    into.apply(
        SectorPage.operation(pages, unit),
        SectorPage.key(pages, unit),
        SectorPage.value(pages, unit));
  }

  /** Pins the page of the buffer that has a slot; returns the offset of the unit there. */
  long pinWaiting(int slot) {
    long page = store.pin(buffer(slot / layout.capacity));
    return SectorPage.unit(page, slot % layout.capacity);
  }

  /** Uses all pages of the buffer: a pool is to keep them, as memory does in the paper. */
  void touchBuffer() {
    for (int i = 0; i < bufferPages && !store.pagesStay(); i++) {
      store.unpin(store.pin(buffer(i)), false);
    }
  }

  /** Returns the leaf where a key is or belongs. */
  int leafOf(long key) {
    int node = root();
    for (int level = height() - 1; level > 0; level--) {
      node = child(node, key);
    }
    return node;
  }

  /** Notes the nodes on the way to a key, the leaf first. */
  void findPath(long key, int[] way) {
    int node = root();
    for (int level = height() - 1; level > 0; level--) {
      way[level] = node;
      node = child(node, key);
    }
    way[0] = node;
  }

  /** Returns the child whose key is the greatest up to one, or the first if all are greater. */
  private int child(int node, long key) {
    long nearest = 0;
    int operation = 0;
    long child = 0;
    UnitOrder waiting = table.waiting(node);
    if (waiting != null) {
      touchBuffer();
      int place = waiting.upTo(key) - 1;
      if (place >= 0) {
        long unit = pinWaiting(waiting.slot(place));
        nearest = SectorPage.key(pages, unit);
        operation = SectorPage.operation(pages, unit);
        child = SectorPage.value(pages, unit);
        store.unpin(unit, false);
      }
    }
    long[] runs = table.runs(node);
    char[] order = table.order(node);
    int end = order.length;
    for (int i = runs.length - 1; i >= 0; i--) {
      long run = runs[i];
      end -= UnitRun.isInOrder(run) ? 0 : UnitRun.units(run);
      int from = UnitRun.isInOrder(run) ? UnitRun.IN_ORDER : end;
      long page = store.pin(UnitRun.sector(run));
      int place = UnitRun.upTo(pages, page, run, order, from, key) - 1;
      if (place >= 0) {
        long unit = UnitRun.unit(page, run, order, from, place);
        long unitKey = SectorPage.key(pages, unit);
        if (operation == 0 || unitKey > nearest) {
          nearest = unitKey;
          operation = SectorPage.operation(pages, unit);
          child = SectorPage.value(pages, unit);
        }
      }
      store.unpin(page, false);
    }
    if (operation == SectorPage.PUT && isNode(child)) {
      return (int) child;
    }
    NodeContent content = new NodeContent(capacity);
    read(node, content);
    return checkedChild(node, content, Math.max(0, content.upTo(key) - 1));
  }

  /** Tells whether what a unit of an inner node has is a child. */
  boolean isNode(long child) {
    return child > 0 && child <= table.top();
  }

  /** Returns the child in a slot of a node that was replayed. */
  int checkedChild(int node, NodeContent content, int slot) {
    if (slot >= content.count || !isNode(content.values[slot])) {
      throw Torn.torn("node " + node + " has no child in slot " + slot);
    }
    return (int) content.values[slot];
  }

  /**
   * Finds the newest unit of a key in a node, and pins its page.
   *
   * @return the offset of the unit, by which the page can be unpinned, or {@link #NO_UNIT}
   */
  long find(int node, long key) {
    UnitOrder waiting = table.waiting(node);
    if (waiting != null) {
      int place = waiting.upTo(key) - 1;
      boolean isThere = place >= 0 && waiting.key(place) == key;
      int slot = isThere ? waiting.slot(place) : -1;
      for (int i = bufferPages - 1; i >= 0; i--) { // The newest are used first (D1).
        long page = store.pin(buffer(i));
        if (slot >= i * layout.capacity) {
          return SectorPage.unit(page, slot - i * layout.capacity);
        }
        store.unpin(page, false);
      }
    }
    long[] runs = table.runs(node);
    char[] order = table.order(node);
    int end = order.length;
    for (int i = runs.length - 1; i >= 0; i--) {
      long run = runs[i];
      end -= UnitRun.isInOrder(run) ? 0 : UnitRun.units(run);
      int from = UnitRun.isInOrder(run) ? UnitRun.IN_ORDER : end;
      long page = store.pin(UnitRun.sector(run));
      int place = UnitRun.upTo(pages, page, run, order, from, key) - 1;
      if (place >= 0) {
        long unit = UnitRun.unit(page, run, order, from, place);
        if (SectorPage.key(pages, unit) == key) {
          return unit;
        }
      }
      store.unpin(page, false);
    }
    return NO_UNIT;
  }

  // ---------------------------------------------------------------- write

  /** Stores a value under a key that has an entry. */
  void replace(int leaf, long key, long value) {
    change.begin();
    commit.add(leaf, SectorPage.PUT, key, value);
    change.commit(0);
  }

  /** Inserts a key that has no entry into the leaf at the end of the path. */
  void insert(int[] way, long key, long value) {
    change.begin();
    dead.revive(key);
    int leaf = way[0];
    if (table.count(leaf) < capacity) {
      commit.add(leaf, SectorPage.PUT, key, value);
      table.count(leaf, table.count(leaf) + 1);
    } else {
      commit.split(way, key, value);
    }
    change.commit(1);
  }

  /** Removes a key that has an entry in the leaf at the end of the path. */
  void remove(int[] way, long key) {
    if (meta[SIZE] == 1) {
      clear();
      return;
    }
    change.begin();
    commit.remove(way, key);
    change.commit(-1);
  }

  /** Removes the leaf at the end of a path with all its entries, and nodes that are empty then. */
  void drop(int[] way) {
    int entries = table.count(way[0]);
    if (meta[SIZE] == entries) {
      clear();
      return;
    }
    change.begin();
    commit.drop(way);
    change.commit(-entries);
  }

  /** Removes the entries of a range; returns how many there were. */
  long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    checkOpen();
    return range.isEmpty() ? 0 : new BftlCut(this).remove(range.first(), range.last());
  }

  // ---------------------------------------------------------------- bulkload

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    change.begin();
    BulkloadInput.checkStart(fillFactor, size());
    clear();
    int most = Math.max(2, (int) (capacity * fillFactor));
    load(entries, total, listener, input -> commit.load(input, most));
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public LongCursor cursor() {
    return new BftlCursor(this, dead);
  }

  @Override
  public void verify(ProgressListener listener) {
    BftlVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(root(), height() - 1);
  }

  private NodeView view(int node, int level) {
    NodeContent content = new NodeContent(capacity);
    read(node, content);
    long[] runs = table.runs(node);
    long offset = runs.length == 0 ? 0 : (UnitRun.sector(runs[0]) - 1L) * store.pageBytes();
    return level == 0
        ? NodeView.leaf(
            offset,
            store.pageBytes(),
            content.count,
            capacity,
            i -> content.keys[i],
            i -> content.values[i])
        : NodeView.inner(
            offset,
            store.pageBytes(),
            level,
            content.count - 1,
            capacity - 1,
            i -> content.keys[i + 1],
            i -> view((int) content.values[i], level - 1));
  }
}
