// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.inpage.PageCutPoint;
import java.lang.foreign.MemorySegment;

/** A format of pages that tells {@link WatchedPages} before it changes any. */
final class WatchedFormat extends LinkedPageFormat {
  private final LinkedPageFormat format;
  private final WatchedPages pages;

  WatchedFormat(LinkedPageFormat format, WatchedPages pages) {
    super(format.bytes, format.leafCapacity, format.innerCapacity, format.runCapacity);
    this.format = format;
    this.pages = pages;
  }

  @Override
  long stamp() {
    return format.stamp();
  }

  @Override
  void initialize(MemorySegment memory, long page, int number, int level) {
    pages.noteChange(page, "initialize");
    format.initialize(memory, page, number, level);
  }

  // ---------------------------------------------------------------- search

  @Override
  int child(MemorySegment memory, long page, int number, long key) {
    return format.child(memory, page, number, key);
  }

  @Override
  boolean isFirstChild(MemorySegment memory, long page, int number, long key) {
    return format.isFirstChild(memory, page, number, key);
  }

  @Override
  int findPlace(MemorySegment memory, long page, int number, long key) {
    return format.findPlace(memory, page, number, key);
  }

  @Override
  long value(MemorySegment memory, long page, int place) {
    return format.value(memory, page, place);
  }

  @Override
  void value(MemorySegment memory, long page, int place, long value) {
    pages.noteChange(page, "value");
    format.value(memory, page, place, value);
  }

  @Override
  int runOf(MemorySegment memory, long page, int number, long key) {
    return format.runOf(memory, page, number, key);
  }

  @Override
  int previousRun(MemorySegment memory, long page, int run) {
    return format.previousRun(memory, page, run);
  }

  @Override
  int nextRun(MemorySegment memory, long page, int run) {
    return format.nextRun(memory, page, run);
  }

  @Override
  void prefetchRun(MemorySegment memory, long page, int run) {
    format.prefetchRun(memory, page, run);
  }

  @Override
  int entriesOf(MemorySegment memory, long page, int run) {
    return format.entriesOf(memory, page, run);
  }

  @Override
  long keysOf(long page, int run) {
    return format.keysOf(page, run);
  }

  @Override
  long valuesOf(long page, int run) {
    return format.valuesOf(page, run);
  }

  // ---------------------------------------------------------------- insert

  @Override
  boolean fits(MemorySegment memory, long page, int place) {
    return format.fits(memory, page, place);
  }

  @Override
  boolean insert(MemorySegment memory, long page, int number, int place, long key, long value) {
    pages.noteChange(page, "insert");
    return format.insert(memory, page, number, place, key, value);
  }

  @Override
  boolean hasSeparator(MemorySegment memory, long page, int number, long separator) {
    return format.hasSeparator(memory, page, number, separator);
  }

  @Override
  boolean insertChild(MemorySegment memory, long page, int number, long separator, int right) {
    pages.noteChange(page, "insertChild");
    return format.insertChild(memory, page, number, separator, right);
  }

  @Override
  boolean isFull(MemorySegment memory, long page, int number, long key) {
    return format.isFull(memory, page, number, key);
  }

  // ---------------------------------------------------------------- split

  @Override
  boolean isAtEnd(MemorySegment memory, long page, int number, long key) {
    return format.isAtEnd(memory, page, number, key);
  }

  @Override
  long keyOfRank(MemorySegment memory, long page, int rank) {
    return format.keyOfRank(memory, page, rank);
  }

  @Override
  PageCutPoint cutPoint(MemorySegment memory, long page, int number, long key) {
    return format.cutPoint(memory, page, number, key);
  }

  @Override
  void copyUpper(
      MemorySegment memory, long page, int from, long other, int otherNumber, boolean isPacked) {
    pages.noteChange(other, "copyUpper");
    format.copyUpper(memory, page, from, other, otherNumber, isPacked);
  }

  @Override
  void keepLower(MemorySegment memory, long page, int number, int end, boolean isPacked) {
    pages.noteChange(page, "keepLower");
    format.keepLower(memory, page, number, end, isPacked);
  }

  // ---------------------------------------------------------------- delete

  @Override
  void remove(MemorySegment memory, long page, int place) {
    pages.noteChange(page, "remove");
    format.remove(memory, page, place);
  }

  @Override
  void removeChild(MemorySegment memory, long page, int number, long key) {
    pages.noteChange(page, "removeChild");
    format.removeChild(memory, page, number, key);
  }

  // ---------------------------------------------------------------- the whole

  @Override
  int load(MemorySegment memory, long page, long[] keys, long[] payloads) {
    return format.load(memory, page, keys, payloads);
  }

  @Override
  void store(MemorySegment memory, long page, int number, long[] keys, long[] payloads, int count) {
    pages.noteChange(page, "store");
    format.store(memory, page, number, keys, payloads, count);
  }

  @Override
  void verify(MemorySegment memory, long page, int number) {
    format.verify(memory, page, number);
  }
}
