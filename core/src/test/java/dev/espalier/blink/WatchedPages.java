// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.support.Latches;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Pages of a B-link tree that one thread uses, with a watch on the latches: a page that is unpinned
 * as changed is latched, and has another version than when it was pinned; a page that {@link
 * WatchedFormat} is about to change is kept from readers. Pages that were allocated during the
 * operation need no latch, for no page leads to them. What is wrong is gathered, since a tree may
 * take a failure for damage.
 */
final class WatchedPages extends ForwardingPageStore {
  private static final long LATCHED = 1;
  private static final long CHANGING = 2;
  private static final int IN_CHUNK = 127;

  private record Pin(int page, long word) {}

  private final CheckedPageStore checked;
  private final Map<Long, Deque<Pin>> pins = new HashMap<>();
  private final Set<Integer> fresh = new HashSet<>();
  private final List<String> faults = new ArrayList<>();
  private Latches latches;

  /** How many calls are made before one fails; negative for none. */
  private int untilFailure = -1;

  private boolean isLeftHalfway;

  WatchedPages(CheckedPageStore checked) {
    super(checked);
    this.checked = checked;
  }

  /** Begins to watch the latches of a tree. */
  void watch(BLinkStructure tree) {
    latches = tree.latches;
    fresh.clear();
  }

  /** Lets a call fail for want of memory, as it may where pages are in a file. */
  void failAfter(int calls) {
    untilFailure = calls;
  }

  /** Tells whether a call has failed since that was ordered. */
  boolean hasFailed() {
    return untilFailure < 0;
  }

  private void count() {
    if (untilFailure-- == 0) {
      throw new MemoryLimitException("a call fails, as a test wants it");
    }
  }

  private long word(int page) {
    return latches.wordsOf(page)[page & IN_CHUNK];
  }

  private void check(boolean holds, String fault) {
    if (!holds) {
      faults.add(fault);
    }
  }

  /** Notes that the format is about to change a page that is pinned. */
  void noteChange(long offset, String what) {
    if (latches != null) {
      int page = pins.get(offset).getLast().page;
      check((word(page) & CHANGING) != 0, what + ": readers see page " + page + " meanwhile");
      check(isLatched(page), what + ": page " + page + " is not latched");
    }
  }

  private boolean isLatched(int page) {
    return (word(page) & LATCHED) != 0 || fresh.contains(page);
  }

  /** Checks, between two operations, that all is given back; returns what was wrong. */
  List<String> endOperation() {
    checked.checkBalanced();
    for (int page = 1; page <= checked.pagesInUse() + 64; page++) {
      check((word(page) & (LATCHED | CHANGING)) == 0, "page " + page + " is latched or changing");
    }
    check(pins.values().stream().allMatch(Deque::isEmpty), "pages are pinned");
    fresh.clear();
    List<String> all = List.copyOf(faults);
    faults.clear();
    return all;
  }

  // ---------------------------------------------------------------- pages

  @Override
  public int allocate() {
    count();
    int page = super.allocate();
    fresh.add(page);
    return page;
  }

  @Override
  public long pin(int page) {
    count();
    long offset = super.pin(page);
    long word = latches == null ? 0 : word(page);
    pins.computeIfAbsent(offset, _ -> new ArrayDeque<>()).add(new Pin(page, word));
    return offset;
  }

  @Override
  public long pinFresh(int page) {
    return pin(page);
  }

  @Override
  public void unpin(long offset, boolean changed) {
    Pin pin = pins.get(offset).removeLast();
    if (changed && latches != null) {
      int page = pin.page;
      check(isLatched(page), "page " + page + " was changed without its latch");
      check(
          word(page) >>> 2 != pin.word >>> 2, "page " + page + " was changed and not its version");
    }
    super.unpin(offset, changed);
  }

  @Override
  public void leftHalfway(Throwable cause) {
    isLeftHalfway = true;
    super.leftHalfway(cause);
  }

  /** Tells whether a change was left halfway, so that the pages are no tree any more. */
  boolean isLeftHalfway() {
    return isLeftHalfway;
  }

  /** Pages are copied to where they are pinned, so nobody reads them elsewhere. */
  @Override
  public long look(int page) {
    return -1;
  }
}
