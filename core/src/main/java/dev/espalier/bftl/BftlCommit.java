// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.tree.StoreTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What changes a BFTL: units that enter the buffer, and those that are written to sectors. */
final class BftlCommit {
  /** Writing all nodes anew has to save one sector of so many: else it would come too often. */
  private static final int REPACK_SHARE = 16;

  private final BftlStructure tree;
  private final PageStore store;
  private final SectorPage layout;
  private final NodeTable table;
  private final NodeContent content;

  BftlCommit(BftlStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.table = tree.table;
    this.content = new NodeContent(tree.capacity);
  }

  // ---------------------------------------------------------------- buffer

  /**
   * Adds a unit of a node. In a full store it takes the place of the newest unit of its key.
   *
   * @throws MemoryLimitException if the store is full and the node has no unit of the key; nothing
   *     has changed then
   */
  void add(int node, int operation, long key, long value) {
    if (append(node, operation, key, value)) {
      return;
    }
    try {
      emptyBuffer();
    } catch (MemoryLimitException full) {
      if (!replaceNewest(node, operation, key, value)) {
        throw full;
      }
      return;
    }
    append(node, operation, key, value);
  }

  private void emptyBuffer() {
    try {
      write(pendingGroups(), List.of());
    } catch (MemoryLimitException full) {
      if (!isRepacked()) {
        throw full;
      }
    }
  }

  private boolean replaceNewest(int node, int operation, long key, long value) {
    long unit = tree.find(node, key);
    if (unit == BftlStructure.NO_UNIT) {
      return false;
    }
    SectorPage.set(tree.pages, unit, node, operation, key, value);
    store.unpin(unit, true);
    return true;
  }

  /** Puts a unit into the buffer, unless it is full. */
  private boolean append(int node, int operation, long key, long value) {
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      int count = layout.count(tree.pages, page);
      boolean fits = count < layout.capacity;
      if (fits) {
        long unit = SectorPage.unit(page, count);
        SectorPage.set(tree.pages, unit, node, operation, key, value);
        SectorPage.count(tree.pages, page, count + 1);
      }
      store.unpin(page, fits);
      if (fits) {
        table.addWaiting(node, key, i * layout.capacity + count);
        return true;
      }
    }
    return false;
  }

  /** Takes the units of nodes out of the buffer, and moves up those behind them. */
  private void dropWaiting(Set<Integer> nodes) {
    int first = tree.bufferPages * layout.capacity;
    for (int node : nodes) {
      UnitOrder waiting = table.waiting(node);
      if (waiting != null) {
        first = Math.min(first, waiting.firstSlot());
        table.forgetWaiting(node);
      }
    }
    int to = 0;
    long target = store.pin(tree.buffer(0));
    int kept = 0;
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      int count = layout.count(tree.pages, page);
      int slot = Math.clamp(first - (long) i * layout.capacity, 0, count);
      if (slot > 0) { // What is before the first stays where it is.
        target = i > to ? endPage(target, kept, ++to) : target;
        kept = slot;
      }
      for (; slot < count; slot++) {
        long unit = SectorPage.unit(page, slot);
        int node = SectorPage.node(tree.pages, unit);
        if (nodes.contains(node)) {
          continue;
        }
        if (kept == layout.capacity) {
          target = endPage(target, kept, ++to);
          kept = 0;
        }
        long key = SectorPage.key(tree.pages, unit);
        table.moveWaiting(node, key, i * layout.capacity + slot, to * layout.capacity + kept);
        SectorPage.set(
            tree.pages,
            SectorPage.unit(target, kept++),
            node,
            SectorPage.operation(tree.pages, unit),
            key,
            SectorPage.value(tree.pages, unit));
      }
      store.unpin(page, false);
    }
    while (++to < tree.bufferPages) {
      target = endPage(target, kept, to);
      kept = 0;
    }
    SectorPage.count(tree.pages, target, kept);
    store.unpin(target, true);
  }

  /** Ends a page of the buffer that has so many units, and pins another one. */
  private long endPage(long page, int units, int next) {
    SectorPage.count(tree.pages, page, units);
    store.unpin(page, true);
    return store.pin(tree.buffer(next));
  }

  // ---------------------------------------------------------------- commit

  /** Returns what the buffer has of each node, or the whole node where its list is at its bound. */
  private List<UnitGroup> pendingGroups() {
    List<UnitGroup> groups = new ArrayList<>();
    for (UnitGroup pending : pending()) {
      int node = pending.node();
      boolean isFull = table.runs(node).length >= tree.listBound;
      if (isFull || pending.count() >= layout.capacity) {
        tree.read(node, content);
        groups.add(UnitGroup.whole(node, content, 0, content.count));
      } else {
        tree.touchBuffer();
        groups.add(pending);
      }
    }
    return groups;
  }

  /** Returns the units in the buffer by their nodes, in the order in which these came. */
  private Collection<UnitGroup> pending() {
    Map<Integer, UnitGroup> groups = new LinkedHashMap<>();
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      try {
        for (int slot = 0; slot < layout.count(tree.pages, page); slot++) {
          long unit = SectorPage.unit(page, slot);
          groups
              .computeIfAbsent(
                  SectorPage.node(tree.pages, unit),
                  node -> new UnitGroup(node, table.pending(node), false))
              .add(
                  SectorPage.operation(tree.pages, unit),
                  SectorPage.key(tree.pages, unit),
                  SectorPage.value(tree.pages, unit));
        }
      } finally {
        store.unpin(page, false);
      }
    }
    return groups.values();
  }

  /**
   * Writes groups to as few sectors as first-fit finds, the largest first, and takes what the
   * buffer has of their nodes out of it.
   *
   * @param dropped nodes that are given back with that
   * @throws MemoryLimitException if there are not so many pages; nothing has changed then
   */
  private void write(List<UnitGroup> groups, List<Integer> dropped) {
    List<List<UnitGroup>> bins = FirstFit.pack(groups, UnitGroup::count, layout.capacity);
    write(bins, reserve(bins.size()), dropped);
  }

  private void write(List<List<UnitGroup>> bins, int[] sectors, List<Integer> dropped) {
    try {
      Set<Integer> written = new LinkedHashSet<>(dropped);
      for (int i = 0; i < sectors.length; i++) {
        writeSector(sectors[i], bins.get(i));
        bins.get(i).forEach(group -> written.add(group.node()));
      }
      dropWaiting(written);
      for (int node : dropped) {
        release(node);
        table.giveBack(node);
      }
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
    tree.modifications.changes++;
  }

  /**
   * Writes all nodes anew if that takes fewer sectors by a sixteenth at least, so that its costs
   * are shared by the changes that there is room for then. Returns whether it did.
   */
  private boolean isRepacked() {
    List<Integer> nodes = new ArrayList<>();
    for (int node = 1; node <= table.top(); node++) {
      if (table.runs(node).length > 0 || table.pending(node) > 0) {
        nodes.add(node);
      }
    }
    int before = store.pagesInUse() - tree.bufferPages;
    int after = FirstFit.pack(nodes, node -> table.count(node) + 1, layout.capacity).size();
    if (before - after < Math.max(1, before / REPACK_SHARE)) {
      return false;
    }
    // In a file, what is given back makes room at the next checkpoint only.
    int[] reserved = store.file() == null ? new int[0] : reserveIfThereIsRoom(after);
    if (reserved == null) {
      return false;
    }
    List<UnitGroup> groups = new ArrayList<>();
    for (int node : nodes) {
      tree.read(node, content);
      groups.add(UnitGroup.whole(node, content, 0, content.count));
    }
    List<List<UnitGroup>> bins = FirstFit.pack(groups, UnitGroup::count, layout.capacity);
    try {
      nodes.forEach(this::release);
      int[] sectors = Arrays.copyOf(reserved, bins.size());
      for (int i = bins.size(); i < reserved.length; i++) {
        store.free(reserved[i]);
      }
      for (int i = reserved.length; i < sectors.length; i++) {
        sectors[i] = tree.allocate();
      }
      write(bins, sectors, List.of());
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
    return true;
  }

  private int @Nullable [] reserveIfThereIsRoom(int count) {
    try {
      return reserve(count);
    } catch (MemoryLimitException full) {
      return null;
    }
  }

  private int[] reserve(int count) {
    int[] sectors = new int[count];
    int taken = 0;
    try {
      while (taken < count) {
        sectors[taken] = tree.allocate();
        taken++;
      }
    } catch (RuntimeException refused) {
      while (taken > 0) {
        store.free(sectors[--taken]);
      }
      throw refused;
    }
    return sectors;
  }

  private void writeSector(int sector, List<UnitGroup> groups) {
    long page = store.pinFresh(sector);
    SectorPage.sequence(tree.pages, page, ++tree.meta[BftlStructure.SEQUENCE]);
    int slot = 0;
    for (UnitGroup group : groups) {
      slot = group.copyTo(tree.pages, page, slot);
    }
    SectorPage.count(tree.pages, page, slot);
    store.unpin(page, true);
    int end = 0;
    for (UnitGroup group : groups) {
      int first = end;
      if (group.isWhole()) {
        release(group.node());
        first++; // behind the unit that begins it anew
      }
      end += group.count();
      table.append(group.node(), sector, first, end - first, group.order());
      table.refer(sector, 1);
    }
  }

  /** Empties the list of a node, and frees the sectors that no other list has. */
  private void release(int node) {
    for (long run : table.runs(node)) {
      int sector = UnitRun.sector(run);
      if (table.refer(sector, -1) == 0) {
        store.free(sector);
      }
    }
    table.forgetRuns(node);
  }

  // ---------------------------------------------------------------- split

  /** Inserts an entry at the end of a path whose leaf is full. */
  void split(int[] way, long key, long value) {
    List<UnitGroup> groups = new ArrayList<>();
    List<int[]> counts = new ArrayList<>();
    List<Integer> taken = new ArrayList<>();
    long newKey = key;
    long newValue = value;
    long leftmost = key;
    int height = tree.height();
    int root = tree.root();
    try {
      int level = 0;
      while (true) {
        NodeContent roomy = new NodeContent(tree.capacity + 1);
        int node = way[level];
        tree.read(node, roomy);
        if (level > 0
            && newKey <= roomy.keys[0]) { // The first child has split below its separator.
          roomy.keys[0] = leftmost;
        }
        roomy.apply(SectorPage.PUT, newKey, newValue);
        if (roomy.count <= tree.capacity) {
          groups.add(UnitGroup.whole(node, roomy, 0, roomy.count));
          counts.add(new int[] {node, roomy.count});
          break;
        }
        int half = newKey == roomy.keys[roomy.count - 1] ? roomy.count - 1 : roomy.count / 2;
        int right = table.take();
        taken.add(right);
        groups.add(UnitGroup.whole(node, roomy, 0, half));
        groups.add(UnitGroup.whole(right, roomy, half, roomy.count));
        counts.add(new int[] {node, half});
        counts.add(new int[] {right, roomy.count - half});
        leftmost = roomy.keys[0];
        newKey = roomy.keys[half];
        newValue = right;
        if (++level == height) {
          root = table.take();
          taken.add(root);
          NodeContent top = new NodeContent(2);
          top.apply(SectorPage.PUT, Long.MIN_VALUE, node);
          top.apply(SectorPage.PUT, newKey, newValue);
          groups.add(UnitGroup.whole(root, top, 0, 2));
          counts.add(new int[] {root, 2});
          height++;
          break;
        }
      }
      writeOrRepack(groups);
    } catch (MemoryLimitException refused) {
      taken.forEach(table::giveBack);
      throw refused;
    }
    counts.forEach(count -> table.count(count[0], count[1]));
    tree.meta[StoreTree.ROOT] = root;
    tree.meta[StoreTree.HEIGHT] = height;
  }

  private void writeOrRepack(List<UnitGroup> groups) {
    try {
      write(groups, List.of());
    } catch (MemoryLimitException full) {
      if (!isRepacked()) {
        throw full;
      }
      write(groups, List.of());
    }
  }

  // ---------------------------------------------------------------- delete

  /** Removes a key from the leaf at the end of a path, and nodes that are empty then. */
  void remove(int[] way, long key) {
    if (table.count(way[0]) == 1) {
      drop(way);
      return;
    }
    add(way[0], SectorPage.DELETE, key, 0);
    table.count(way[0], table.count(way[0]) - 1);
  }

  /** Removes the leaf at the end of a path, not the last one, and nodes that are empty then. */
  void drop(int[] way) {
    List<Integer> dropped = new ArrayList<>();
    int level = 0;
    do {
      dropped.add(way[level++]);
    } while (table.count(way[level]) == 1);
    int parent = way[level];
    tree.read(parent, content);
    int child = 0;
    while (content.values[child] != way[level - 1]) {
      child++;
    }
    long separator = content.keys[child];
    write(List.of(), dropped);
    add(parent, SectorPage.DELETE, separator, 0); // Its unit is there, so this is not refused.
    table.count(parent, table.count(parent) - 1);
    while (tree.height() > 1 && table.count(tree.root()) == 1) {
      int old = tree.root();
      tree.read(old, content);
      int only = (int) content.values[0];
      write(List.of(), List.of(old));
      tree.meta[StoreTree.ROOT] = only;
      tree.meta[StoreTree.HEIGHT]--;
    }
  }

  // ---------------------------------------------------------------- bulkload

  /** Fills the empty tree from left to right, with one open node on each level. */
  void load(BulkloadInput input, int fill) {
    List<NodeContent> open = new ArrayList<>();
    int[] nodes = new int[StoreTree.MAX_HEIGHT];
    open.add(new NodeContent(fill));
    nodes[0] = tree.root();
    while (input.next()) {
      add(open, nodes, 0, input.key(), input.value(), fill);
    }
    if (input.loaded() == 0) {
      return;
    }
    List<UnitGroup> last = new ArrayList<>();
    for (int level = 0; level < open.size(); level++) {
      NodeContent node = open.get(level);
      last.add(UnitGroup.whole(nodes[level], node, 0, node.count));
      table.count(nodes[level], node.count);
    }
    write(last, List.of());
    tree.meta[StoreTree.ROOT] = nodes[open.size() - 1];
    tree.meta[StoreTree.HEIGHT] = open.size();
  }

  private void add(List<NodeContent> open, int[] nodes, int level, long key, long value, int fill) {
    NodeContent node = open.get(level);
    if (!node.apply(SectorPage.PUT, key, value)) {
      writeNode(nodes[level], node);
      int full = nodes[level];
      int next = table.take();
      if (level + 1 == open.size()) {
        open.add(new NodeContent(fill));
        nodes[level + 1] = table.take();
        open.get(level + 1).apply(SectorPage.PUT, Long.MIN_VALUE, full);
      }
      nodes[level] = next;
      node.count = 0;
      node.apply(SectorPage.PUT, key, value);
      add(open, nodes, level + 1, key, next, fill);
    }
  }

  private void writeNode(int node, NodeContent of) {
    write(List.of(UnitGroup.whole(node, of, 0, of.count)), List.of());
    table.count(node, of.count);
  }
}
