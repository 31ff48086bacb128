// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.memory.PageStore;

/** The room for nodes: pages, the slots in them, and the lists of pages that have free ones. */
final class CacheFirstSpace {
  private final CacheFirstStructure tree;
  private final PageStore store;
  private final CacheFirstPage page;

  CacheFirstSpace(CacheFirstStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.page = tree.page;
  }

  private void initialize(int number, int kind) {
    long at = store.pin(number);
    CacheFirstPage.initialize(tree.pages, at, kind);
    store.unpin(at, true);
  }

  /** Allocates and makes a page; one for inner nodes comes into its list. */
  int newPage(int kind) {
    int number = tree.allocate();
    initialize(number, kind);
    if (hasRoomList(kind)) {
      linkPage(number, kind);
    }
    return number;
  }

  private static boolean hasRoomList(int kind) {
    return kind == CacheFirstPage.NONLEAF || kind == CacheFirstPage.OVERFLOW;
  }

  private static int roomList(int kind) {
    return kind == CacheFirstPage.NONLEAF
        ? CacheFirstStructure.NONLEAF_ROOM
        : CacheFirstStructure.OVERFLOW_ROOM;
  }

  /** Returns a page of a kind that has a free slot, or 0 if there is none. */
  int withRoom(int kind) {
    return (int) tree.meta[roomList(kind)];
  }

  /** Puts a page at the head of the list of those with room. */
  private void linkPage(int number, int kind) {
    int head = (int) tree.meta[roomList(kind)];
    long at = store.pin(number);
    CacheFirstPage.next(tree.pages, at, head);
    CacheFirstPage.previous(tree.pages, at, 0);
    store.unpin(at, true);
    if (head != 0) {
      long to = store.pin(head);
      CacheFirstPage.previous(tree.pages, to, number);
      store.unpin(to, true);
    }
    tree.meta[roomList(kind)] = number;
  }

  /**
   * Takes a page out of the list that begins with {@code head}, and returns what it begins with.
   */
  int unlinkPage(int number, int head) {
    long at = store.pin(number);
    int next = CacheFirstPage.next(tree.pages, at);
    int previous = CacheFirstPage.previous(tree.pages, at);
    CacheFirstPage.next(tree.pages, at, 0);
    CacheFirstPage.previous(tree.pages, at, 0);
    store.unpin(at, true);
    if (next != 0) {
      long to = store.pin(next);
      CacheFirstPage.previous(tree.pages, to, previous);
      store.unpin(to, true);
    }
    if (previous == 0) {
      return next;
    }
    long to = store.pin(previous);
    CacheFirstPage.next(tree.pages, to, next);
    store.unpin(to, true);
    return head;
  }

  private void leaveRoomList(int number, int kind) {
    int list = roomList(kind);
    tree.meta[list] = unlinkPage(number, (int) tree.meta[list]);
  }

  /** Returns the free slots of a page. */
  int room(int number) {
    long at = store.pin(number);
    int room = page.slots - CacheFirstPage.count(tree.pages, at);
    store.unpin(at, false);
    return room;
  }

  int kind(int number) {
    long at = store.pin(number);
    int kind = CacheFirstPage.kind(tree.pages, at);
    store.unpin(at, false);
    return kind;
  }

  /** Takes a slot of a page that has a free one, and returns the node there, not yet made. */
  int takeSlot(int number) {
    long at = store.pin(number);
    int kind = CacheFirstPage.kind(tree.pages, at);
    int slot = page.takeSlot(tree.pages, at, page.firstSlot(number, kind));
    boolean full = CacheFirstPage.count(tree.pages, at) == page.slots;
    store.unpin(at, true);
    if (slot < 0) {
      throw CacheFirstStructure.torn("page " + number + " has no free slot");
    }
    if (full && hasRoomList(kind)) {
      leaveRoomList(number, kind);
    }
    return page.node(number, slot);
  }

  /** Gives the slot of an inner node back, and its page if that is empty then. */
  void freeInner(int node) {
    int number = page.pageOf(node);
    long at = store.pin(number);
    CacheFirstPage.freeSlot(tree.pages, at, page.slotOf(node));
    int kind = CacheFirstPage.kind(tree.pages, at);
    int count = CacheFirstPage.count(tree.pages, at);
    store.unpin(at, true);
    if (count == page.slots - 1) {
      linkPage(number, kind);
    }
    if (count == 0) {
      leaveRoomList(number, kind);
      store.free(number);
    }
  }

  /** Gives the slot of a leaf back and returns how many leaves its page has then. */
  int freeLeaf(int node) {
    long at = store.pin(page.pageOf(node));
    CacheFirstPage.freeSlot(tree.pages, at, page.slotOf(node));
    int count = CacheFirstPage.count(tree.pages, at);
    store.unpin(at, true);
    return count;
  }
}
