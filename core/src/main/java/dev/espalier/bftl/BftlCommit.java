// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.tree.StoreTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What changes a BFTL: units that enter the buffer, and those that are written to sectors. */
final class BftlCommit {
  /** The units of one node that are to be written together. */
  private record Group(int node, boolean anew, int count, int[] operations, long[] words) {}

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

  /** Makes room for units in the buffer, or throws before anything has changed. */
  void makeRoom(int units) {
    int room = 0;
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      room += layout.capacity - layout.count(tree.pages, page);
      store.unpin(page, false);
    }
    if (room < units) {
      write(pendingGroups(), new ArrayList<>());
    }
  }

  void append(int node, int operation, long key, long value) {
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      int count = layout.count(tree.pages, page);
      boolean fits = count < layout.capacity;
      if (fits) {
        SectorPage.set(tree.pages, page, count, node, operation, key, value);
        SectorPage.count(tree.pages, page, count + 1);
      }
      store.unpin(page, fits);
      if (fits) {
        table.pending(node, table.pending(node) + 1);
        return;
      }
    }
    throw new IllegalStateException("no room was made in the reservation buffer");
  }

  /** Takes the units of nodes out of the buffer, and moves the others up. */
  private void drop(Set<Integer> nodes) {
    int to = 0;
    long target = store.pin(tree.buffer(0));
    int kept = 0;
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      int count = layout.count(tree.pages, page);
      for (int slot = 0; slot < count; slot++) {
        int node = SectorPage.node(tree.pages, page, slot);
        if (nodes.contains(node)) {
          continue;
        }
        if (kept == layout.capacity) {
          SectorPage.count(tree.pages, target, kept);
          store.unpin(target, true);
          target = store.pin(tree.buffer(++to));
          kept = 0;
        }
        SectorPage.set(
            tree.pages,
            target,
            kept++,
            node,
            SectorPage.operation(tree.pages, page, slot),
            SectorPage.key(tree.pages, page, slot),
            SectorPage.value(tree.pages, page, slot));
      }
      store.unpin(page, false);
    }
    SectorPage.count(tree.pages, target, kept);
    store.unpin(target, true);
    while (++to < tree.bufferPages) {
      target = store.pin(tree.buffer(to));
      SectorPage.count(tree.pages, target, 0);
      store.unpin(target, true);
    }
    nodes.forEach(node -> table.pending(node, 0));
  }

  // ---------------------------------------------------------------- commit

  /** Returns what the buffer has of each node, or the whole node where its list is at its bound. */
  private List<Group> pendingGroups() {
    Set<Integer> nodes = new LinkedHashSet<>();
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      for (int slot = 0; slot < layout.count(tree.pages, page); slot++) {
        nodes.add(SectorPage.node(tree.pages, page, slot));
      }
      store.unpin(page, false);
    }
    List<Group> groups = new ArrayList<>();
    for (int node : nodes) {
      boolean isFull = table.sectors(node).length >= tree.listBound;
      if (isFull || table.pending(node) >= layout.capacity) {
        tree.read(node, content);
        groups.add(whole(node, content, 0, content.count));
      } else {
        groups.add(pending(node));
      }
    }
    return groups;
  }

  private Group pending(int node) {
    int[] operations = new int[table.pending(node)];
    long[] words = new long[2 * operations.length];
    int count = 0;
    for (int i = 0; i < tree.bufferPages; i++) {
      long page = store.pin(tree.buffer(i));
      for (int slot = 0; slot < layout.count(tree.pages, page); slot++) {
        if (SectorPage.node(tree.pages, page, slot) == node) {
          operations[count] = SectorPage.operation(tree.pages, page, slot);
          words[2 * count] = SectorPage.key(tree.pages, page, slot);
          words[2 * count + 1] = SectorPage.value(tree.pages, page, slot);
          count++;
        }
      }
      store.unpin(page, false);
    }
    return new Group(node, false, count, operations, words);
  }

  private static Group whole(int node, NodeContent of, int from, int to) {
    int count = to - from + 1;
    int[] operations = new int[count];
    Arrays.fill(operations, SectorPage.PUT);
    operations[0] = SectorPage.RESET;
    long[] words = new long[2 * count];
    for (int i = 1; i < count; i++) {
      words[2 * i] = of.keys[from + i - 1];
      words[2 * i + 1] = of.values[from + i - 1];
    }
    return new Group(node, true, count, operations, words);
  }

  /**
   * Writes groups to as few sectors as first-fit finds, the largest first, and takes what the
   * buffer has of their nodes out of it.
   *
   * @param dropped nodes that are given back with that
   * @throws MemoryLimitException if there are not so many pages; nothing has changed then
   */
  private void write(List<Group> groups, List<Integer> dropped) {
    groups.sort(Comparator.comparingInt(Group::count).reversed());
    List<List<Group>> bins = new ArrayList<>();
    List<Integer> rooms = new ArrayList<>();
    for (Group group : groups) {
      int bin = 0;
      while (bin < bins.size() && rooms.get(bin) < group.count()) {
        bin++;
      }
      if (bin == bins.size()) {
        bins.add(new ArrayList<>());
        rooms.add(layout.capacity);
      }
      bins.get(bin).add(group);
      rooms.set(bin, rooms.get(bin) - group.count());
    }
    int[] sectors = reserve(bins.size());
    try {
      Set<Integer> written = new LinkedHashSet<>(dropped);
      for (int i = 0; i < sectors.length; i++) {
        writeSector(sectors[i], bins.get(i));
        bins.get(i).forEach(group -> written.add(group.node()));
      }
      drop(written);
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

  private void writeSector(int sector, List<Group> groups) {
    long page = store.pinFresh(sector);
    SectorPage.sequence(tree.pages, page, ++tree.meta[BftlStructure.SEQUENCE]);
    int slot = 0;
    for (Group group : groups) {
      for (int i = 0; i < group.count(); i++) {
        SectorPage.set(
            tree.pages,
            page,
            slot++,
            group.node(),
            group.operations()[i],
            group.words()[2 * i],
            group.words()[2 * i + 1]);
      }
    }
    SectorPage.count(tree.pages, page, slot);
    store.unpin(page, true);
    for (Group group : groups) {
      if (group.anew()) {
        release(group.node());
      }
      table.append(group.node(), sector);
      table.refer(sector, 1);
    }
  }

  /** Empties the list of a node, and frees the sectors that no other list has. */
  private void release(int node) {
    for (int sector : table.sectors(node)) {
      if (table.refer(sector, -1) == 0) {
        store.free(sector);
      }
    }
    table.sectors(node, new int[0]);
  }

  // ---------------------------------------------------------------- split

  /** Inserts an entry at the end of a path whose leaf is full. */
  void split(int[] way, long key, long value) {
    List<Group> groups = new ArrayList<>();
    List<int[]> counts = new ArrayList<>();
    List<Integer> taken = new ArrayList<>();
    long newKey = key;
    long newValue = value;
    int height = tree.height();
    int root = tree.root();
    try {
      int level = 0;
      while (true) {
        NodeContent roomy = new NodeContent(tree.capacity + 1);
        int node = way[level];
        tree.read(node, roomy);
        roomy.apply(SectorPage.PUT, newKey, newValue);
        if (roomy.count <= tree.capacity) {
          groups.add(whole(node, roomy, 0, roomy.count));
          counts.add(new int[] {node, roomy.count});
          break;
        }
        int half = newKey == roomy.keys[roomy.count - 1] ? roomy.count - 1 : roomy.count / 2;
        int right = table.take();
        taken.add(right);
        groups.add(whole(node, roomy, 0, half));
        groups.add(whole(right, roomy, half, roomy.count));
        counts.add(new int[] {node, half});
        counts.add(new int[] {right, roomy.count - half});
        newKey = roomy.keys[half];
        newValue = right;
        if (++level == height) {
          root = table.take();
          taken.add(root);
          NodeContent top = new NodeContent(2);
          top.apply(SectorPage.PUT, Long.MIN_VALUE, node);
          top.apply(SectorPage.PUT, newKey, newValue);
          groups.add(whole(root, top, 0, 2));
          counts.add(new int[] {root, 2});
          height++;
          break;
        }
      }
      write(groups, List.of());
    } catch (MemoryLimitException refused) {
      taken.forEach(table::giveBack);
      throw refused;
    }
    counts.forEach(count -> table.count(count[0], count[1]));
    tree.meta[StoreTree.ROOT] = root;
    tree.meta[StoreTree.HEIGHT] = height;
  }

  // ---------------------------------------------------------------- delete

  /** Removes a key from the leaf at the end of a path, and nodes that are empty then. */
  void remove(int[] way, long key) {
    makeRoom(2);
    if (table.count(way[0]) > 1) {
      append(way[0], SectorPage.DELETE, key, 0);
      table.count(way[0], table.count(way[0]) - 1);
      return;
    }
    List<Integer> dropped = new ArrayList<>();
    int level = 0;
    while (table.count(way[level]) == 1) {
      dropped.add(way[level++]);
    }
    int parent = way[level];
    tree.read(parent, content);
    int child = 0;
    while (content.values[child] != way[level - 1]) {
      child++;
    }
    write(new ArrayList<>(), dropped);
    if (child == 0) { // The next child takes its place, and its lower bound.
      append(parent, SectorPage.PUT, content.keys[0], content.values[1]);
      append(parent, SectorPage.DELETE, content.keys[1], 0);
    } else {
      append(parent, SectorPage.DELETE, content.keys[child], 0);
    }
    table.count(parent, table.count(parent) - 1);
    while (tree.height() > 1 && table.count(tree.root()) == 1) {
      int old = tree.root();
      tree.read(old, content);
      int only = (int) content.values[0];
      write(new ArrayList<>(), List.of(old));
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
    for (int level = 0; level < open.size(); level++) {
      writeNode(nodes[level], open.get(level));
    }
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
    write(new ArrayList<>(List.of(whole(node, of, 0, of.count))), List.of());
    table.count(node, of.count);
  }
}
