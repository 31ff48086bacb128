// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Copies a snapshot into a file that is a store of its own: with another id, without free places,
 * and with nothing in its log. Every page is checked on its way, and sealed anew.
 *
 * <p>The file gets its name only when all of it is safe. Until then it has another one, and if
 * anything fails, nothing is left.
 */
final class Backup {
  private final StoreState state;
  private final StoreFiles files;
  private final Path target;
  private final ProgressListener listener;

  /**
   * Prepares to write.
   *
   * @param target the file, which must not exist
   */
  Backup(StoreState state, Path target, ProgressListener listener) {
    PathCheck.checkFileSystem(target);
    this.state = state;
    this.files = state.environment.files();
    this.target = target;
    this.listener = listener;
  }

  /**
   * Writes the file.
   *
   * @throws PageFileException if the file is there already, or can't be written
   * @throws CorruptPageException if a page of the snapshot is damaged
   * @throws IllegalStateException if the store is closed meanwhile
   * @throws CancellationException if the listener cancels
   */
  void write(Checkpoints checkpoints) {
    try (OpenFiles.Claim _ = OpenFiles.claim(List.of(target))) {
      Path unfinished = target.resolveSibling(target.getFileName() + StoreOpening.BEING_MADE);
      UnfinishedFile file = new UnfinishedFile(files, target, unfinished);
      file.checkAbsent();
      files.delete(unfinished);
      try (Snapshot snapshot = Snapshot.take(state, checkpoints)) {
        write(snapshot, unfinished);
        file.finish();
      } catch (RuntimeException | Error failed) {
        throw file.without(failed);
      }
    }
  }

  // ---------------------------------------------------------------- write

  /** What a page is moved from and to. */
  private record Copy(Snapshot snapshot, IndexPages from, PageMap to) {}

  private void write(Snapshot snapshot, Path unfinished) {
    List<IndexPages> indexes = contents(snapshot);
    Catalogue catalogue = snapshot.catalogue();
    int pageBytes = state.pageBytes();
    try (PageFile file = files.openLog(unfinished, Access.CREATE, pageBytes);
        PageImages images = new PageImages(pageBytes)) {
      long pages = indexes.stream().mapToLong(Backup::writtenPages).sum();
      makeRoom(file, pages, indexes, catalogue);
      SlotSpace space = new SlotSpace(file, pageBytes, null);
      List<Catalogue.Entry> entries = copy(snapshot, indexes, pages, space, file, images);
      Catalogue copied = new Catalogue(catalogue.nextId(), entries, catalogue.note());
      int[] slots = new int[copied.pages(pageBytes)];
      Catalogue.Place place = copied.capture(space, pageBytes, 0, images, slots);
      images.write(file);
      space.truncateTo(space.end());
      header(place, space.end()).writeTo(file, state.environment.random().nextLong());
      file.force();
    }
  }

  private static long writtenPages(IndexPages index) {
    long pages = 0;
    for (int page = 1; page <= index.numbers.top(); page++) {
      pages += index.map.slot(page) > PageMap.UNWRITTEN ? 1 : 0;
    }
    return pages;
  }

  private void makeRoom(PageFile file, long pages, List<IndexPages> indexes, Catalogue catalogue) {
    int pageBytes = state.pageBytes();
    long slots = StoreHeader.areaBytes(pageBytes) / pageBytes + pages + catalogue.pages(pageBytes);
    for (IndexPages index : indexes) {
      slots += index.map.mapPages(index.numbers.top());
    }
    try {
      file.grow(slots * pageBytes);
    } catch (PageFileException failed) {
      if (SlotSpace.isFull(failed)) {
        throw new PageFileException(
            target,
            "there is no room for a backup of %d bytes".formatted(slots * pageBytes),
            failed);
      }
      throw failed;
    }
  }

  private StoreHeader header(Catalogue.Place place, int slots) {
    return new StoreHeader(
        state.environment.random().nextLong(),
        0,
        0,
        0,
        0,
        LogSegment.HEADER_BYTES,
        place.slot(),
        place.checksum(),
        state.pageBytes(),
        state.header.segmentBytes(),
        slots,
        1,
        true);
  }

  // ---------------------------------------------------------------- pages

  private List<Catalogue.Entry> copy(
      Snapshot snapshot,
      List<IndexPages> indexes,
      long total,
      SlotSpace space,
      PageFile file,
      PageImages images) {
    List<Catalogue.Entry> entries = new ArrayList<>();
    long done = 0;
    try (PageBatch batch = new PageBatch(state.pageBytes())) {
      for (IndexPages index : indexes) {
        Copy copy = new Copy(snapshot, index, new PageMap(state.pageBytes()));
        for (int page = 1; page <= index.numbers.top(); page++) {
          int slot = index.map.slot(page);
          if (slot == PageMap.UNWRITTEN) {
            copy.to.set(page, PageMap.UNWRITTEN, 0);
          } else if (slot != 0) {
            batch.add(page, slot, index.map.checksum(page));
          }
          if (batch.isFull()) {
            done = write(copy, batch, space, file, done, total);
          }
        }
        done = write(copy, batch, space, file, done, total);
        index.map = copy.to;
        entries.add(index.capture(space, 0, images));
      }
    }
    return entries;
  }

  /** Copies pages into the next slots; returns how many were copied by then. */
  private long write(
      Copy copy, PageBatch batch, SlotSpace space, PageFile file, long done, long total) {
    read(copy, batch);
    int[] slots = new int[batch.count()];
    for (int i = 0; i < slots.length; i++) {
      batch.seal(i, PageSeal.tag(copy.from.id, 0));
      slots[i] = space.take();
      copy.to.set(batch.page(i), slots[i], batch.checksum(i));
    }
    batch.write(file, slots);
    batch.clear();
    long copied = done + slots.length;
    if (!listener.onProgress(copied, total)) {
      throw new CancellationException(target + ": the backup was cancelled");
    }
    return copied;
  }

  // ---------------------------------------------------------------- read

  private List<IndexPages> contents(Snapshot snapshot) {
    try {
      return snapshot.contents().indexes();
    } catch (RuntimeException failed) {
      throw ofRead(snapshot, failed);
    }
  }

  private void read(Copy copy, PageBatch batch) {
    try {
      batch.read(state.file);
      batch.check(state.file, copy.from);
    } catch (RuntimeException failed) {
      throw ofRead(copy.snapshot, failed);
    }
  }

  /**
   * Returns what a read that failed is to throw. Only the closing of the store closes the snapshot
   * of a backup; its last checkpoint may then use the places from which the backup reads.
   */
  private RuntimeException ofRead(Snapshot snapshot, RuntimeException failed) {
    return snapshot.isClosed()
        ? new IllegalStateException(
            "the store %s was closed during its backup to %s".formatted(state.path, target), failed)
        : failed;
  }
}
