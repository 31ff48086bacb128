// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A page store that leaves everything to another one: what stores that watch it begin with. */
public abstract class ForwardingPageStore implements PageStore {
  final PageStore store;

  /** Stands before {@code store}, and closes it. */
  protected ForwardingPageStore(PageStore store) {
    this.store = store;
  }

  @Override
  public int pageBytes() {
    return store.pageBytes();
  }

  @Override
  public MemorySegment segment() {
    return store.segment();
  }

  @Override
  public long[] meta() {
    return store.meta();
  }

  @Override
  public void whenMetaIsWanted(Runnable task) {
    store.whenMetaIsWanted(task);
  }

  @Override
  public int allocate() {
    return store.allocate();
  }

  @Override
  public int allocate(int count) {
    return store.allocate(count);
  }

  @Override
  public void free(int page) {
    store.free(page);
  }

  @Override
  public void clear() {
    store.clear();
  }

  @Override
  public long pin(int page) {
    return store.pin(page);
  }

  @Override
  public long pinFresh(int page) {
    return store.pinFresh(page);
  }

  @Override
  public void pinAll(long[] pages, int from, int count) {
    store.pinAll(pages, from, count);
  }

  @Override
  public void unpin(long offset, boolean changed) {
    store.unpin(offset, changed);
  }

  /** Finds none, so that each page is pinned: a store that watches sees the pins. */
  @Override
  public long look(int page) {
    return -1;
  }

  @Override
  public long offset(long look) {
    return look;
  }

  @Override
  public boolean isStill(long look) {
    return false;
  }

  @Override
  public void noteLooks(int pages) {
    store.noteLooks(pages);
  }

  @Override
  public void readAhead(int[] pages, int from, int count) {
    store.readAhead(pages, from, count);
  }

  @Override
  public void wontNeed(int page) {
    store.wontNeed(page);
  }

  @Override
  public void willFree(int page) {
    store.willFree(page);
  }

  @Override
  public int mostPins() {
    return store.mostPins();
  }

  @Override
  public boolean pagesStay() {
    return store.pagesStay();
  }

  @Override
  public void beforeChange() {
    store.beforeChange();
  }

  @Override
  public void beforeSet(long key, long value) {
    store.beforeSet(key, value);
  }

  @Override
  public void beforeRemoval(long key) {
    store.beforeRemoval(key);
  }

  @Override
  public void beforeSet(MemorySegment key, MemorySegment value) {
    store.beforeSet(key, value);
  }

  @Override
  public void beforeRemoval(MemorySegment key) {
    store.beforeRemoval(key);
  }

  @Override
  public void ensureRoomToChange(int pages) {
    store.ensureRoomToChange(pages);
  }

  @Override
  public void leftHalfway(Throwable cause) {
    store.leftHalfway(cause);
  }

  @Override
  public void flush() {
    store.flush();
  }

  @Override
  public long usedBytes() {
    return store.usedBytes();
  }

  @Override
  public boolean allocationMoves() {
    return store.allocationMoves();
  }

  @Override
  public int pagesInUse() {
    return store.pagesInUse();
  }

  @Override
  public boolean hasRoom(long extent, long more) {
    return store.hasRoom(extent, more);
  }

  @Override
  public @Nullable Path file() {
    return store.file();
  }

  @Override
  public String closedMessage(String tree) {
    return store.closedMessage(tree);
  }

  @Override
  public boolean isInUse(int page) {
    return store.isInUse(page);
  }

  @Override
  public long committedBytes() {
    return store.committedBytes();
  }

  @Override
  public boolean hugePagesGranted() {
    return store.hugePagesGranted();
  }

  @Override
  public boolean isClosed() {
    return store.isClosed();
  }

  @Override
  public void close() {
    store.close();
  }
}
