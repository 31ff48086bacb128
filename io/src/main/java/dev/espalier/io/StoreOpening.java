// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How a store is opened or made: everything that is done once. */
final class StoreOpening {
  /** Appended to the name of a store while it is being made. */
  static final String BEING_MADE = ".new";

  private final Path path;
  private final StoreOptions options;
  private final FileOptions fileOptions;
  private StoreEnvironment environment;
  private final StoreFiles files;
  private final Stripes stripes;
  private final ProgressListener listener;

  /** Whether no other process can have the files open. */
  private boolean isLocked;

  /** Why nobody gets the store that was opened, null if somebody does. */
  private @Nullable Throwable refused;

  StoreOpening(Path path, StoreOptions options, StoreEnvironment environment) {
    this(path, options, environment, ProgressListener.NONE);
  }

  /**
   * Takes what a store is to be opened with.
   *
   * @param listener the listener of recovery
   */
  StoreOpening(
      Path path, StoreOptions options, StoreEnvironment environment, ProgressListener listener) {
    this.listener = Objects.requireNonNull(listener, "listener");
    PathCheck.checkFileSystem(path);
    options.files().stripes().forEach(PathCheck::checkFileSystem);
    this.path = path;
    this.options = options;
    this.fileOptions = options.files();
    this.environment = environment;
    this.files = environment.files();
    this.stripes = new Stripes(files, path, fileOptions.stripes());
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new UnsupportedOperationException("stores need a little-endian processor");
    }
  }

  private boolean has(FileOption flag) {
    return fileOptions.flags().contains(flag);
  }

  private List<Path> allFiles() {
    List<Path> all = new ArrayList<>(List.of(path));
    all.addAll(fileOptions.stripes());
    return all;
  }

  private boolean isReadOnly() {
    return has(FileOption.READ_ONLY) || has(FileOption.LAST_CHECKPOINT);
  }

  IndexStore open() {
    OpenFiles.Claim claim = OpenFiles.claim(allFiles());
    try {
      boolean exists = files.exists(path);
      if (exists && has(FileOption.MUST_BE_NEW)) {
        throw refusal("the file exists already");
      }
      if (!exists && (has(FileOption.MUST_EXIST) || isReadOnly())) {
        throw refusal("no such file");
      }
      return exists ? openExisting(claim, false) : openNew(claim);
    } catch (RuntimeException | Error failed) {
      claim.close();
      throw failed;
    }
  }

  /**
   * Opens the store, and returns what is asked of it. If that fails, the store is closed, and is
   * removed if this has made it.
   */
  <T> T open(Function<IndexStore, T> asked) {
    IndexStore store = open();
    try {
      return asked.apply(store);
    } catch (RuntimeException | Error failed) {
      refused = failed;
      store.closeAfter(failed);
      throw failed;
    }
  }

  // ---------------------------------------------------------------- make

  /**
   * Makes an empty store under another name, and then gives it its own, so that it is either
   * complete or not there.
   */
  private void make() {
    int pageBytes =
        fileOptions.pageBytes() != 0 ? fileOptions.pageBytes() : FileOptions.DEFAULT_PAGE_BYTES;
    if (pageBytes < StoreHeader.BYTES && !fileOptions.stripes().isEmpty()) {
      throw new IllegalArgumentException(
          "pageBytes is %d; a store over several files needs pages of %d, in which a header fits"
              .formatted(pageBytes, StoreHeader.BYTES));
    }
    Path unfinished = unfinished(path);
    stripes.deleteLeft(unfinished);
    files.delete(unfinished);
    long storeId = environment.random().nextLong();
    // What this does not make, a stripe that is there already, it must not delete either.
    PageFile made = files.openPages(unfinished, Access.CREATE, pageBytes);
    try {
      write(made, storeId, pageBytes);
      files.rename(unfinished, path);
    } catch (RuntimeException | Error failed) {
      deleteUnfinished(unfinished, failed);
      throw failed;
    }
  }

  /** Writes an empty store, makes it safe, and closes its file. */
  private void write(PageFile made, long storeId, int pageBytes) {
    try (PageFile file = made) {
      int first = (int) (StoreHeader.areaBytes(pageBytes) / pageBytes);
      int slots = first + 1;
      // The first file has the whole block of a header, over however many files pages are spread.
      long leastInFirst = (1L + fileOptions.stripes().size()) * StoreHeader.BLOCK_BYTES;
      file.grow(Math.max((long) slots * pageBytes, leastInFirst));
      Catalogue.Place place;
      try (PageImages images = new PageImages(pageBytes)) {
        int[] catalogueSlots = new int[1];
        SlotSpace space = new SlotSpace(file, pageBytes, null);
        Catalogue empty = new Catalogue(0, List.of(), new byte[0]);
        place = empty.capture(space, pageBytes, 0, images, catalogueSlots);
        images.write(file);
      }
      StoreHeader header =
          new StoreHeader(
              storeId,
              0,
              0,
              0,
              0,
              LogSegment.HEADER_BYTES,
              place.slot(),
              place.checksum(),
              pageBytes,
              options.segmentBytes(),
              slots,
              1 + fileOptions.stripes().size(),
              true);
      stripes.write(storeId);
      header.writeTo(file, environment.random().nextLong());
      file.force();
    }
  }

  /** Returns the name that a store has while it is being made. */
  static Path unfinished(Path path) {
    return path.resolveSibling(path.getFileName() + BEING_MADE);
  }

  /** Deletes what was made; the first file last, for it tells which stripes are its own. */
  private void deleteUnfinished(Path unfinished, Throwable reason) {
    try {
      fileOptions.stripes().forEach(files::delete);
      files.delete(unfinished);
    } catch (PageFileException second) {
      reason.addSuppressed(second);
    }
  }

  /**
   * Removes a store that was made and has its name. It loses its name first, so that the next
   * making removes whatever this leaves; and that is safe before anything else goes, since a crash
   * would leave a store without its log, or without stripes, which is refused.
   */
  private void removeMade(Throwable reason) {
    Path unfinished = unfinished(path);
    try {
      files.rename(path, unfinished);
      files.forceNames(path);
      for (Path file : LogFiles.all(files, path)) {
        if (!file.equals(unfinished)) {
          files.delete(file);
        }
      }
    } catch (PageFileException second) {
      reason.addSuppressed(second);
      return;
    }
    deleteUnfinished(unfinished, reason);
  }

  // ---------------------------------------------------------------- open

  /**
   * Makes a store and opens it; if that fails, nothing of it is left, unless another process may
   * have it open.
   */
  private IndexStore openNew(OpenFiles.Claim claim) {
    make();
    try {
      return openExisting(claim, true);
    } catch (RuntimeException | Error failed) {
      // Without the lock, another process may have it open by now, and it must stay.
      if (isLocked || !(files instanceof SystemFiles)) {
        removeMade(failed);
      }
      throw failed;
    }
  }

  private IndexStore openExisting(OpenFiles.Claim claim, boolean isNew) {
    if (files instanceof SystemFiles) {
      PathCheck.checkRegular(path);
    }
    boolean readOnly = isReadOnly();
    stripes.checkFirst();
    StoreHeader known = StoreHeaders.any(files, path);
    check(known);
    stripes.check(known.storeId());
    Access access = readOnly ? Access.READ : Access.WRITE;
    PageFile file = files.openPages(path, access, known.pageBytes());
    try {
      if (files instanceof SystemFiles) {
        // Not before: closing any descriptor of a file gives up the locks of the process on it.
        claim.lock(readOnly);
        isLocked = true;
      }
      if (!readOnly) {
        // What an earlier life has written, and the name of what was just made, may be in the
        // system's memory only.
        files.forceNames(path);
        file.force();
      }
      StoreHeader header = StoreHeaders.newest(file, known.pageBytes());
      checkLength(file, header);
      if (has(FileOption.READ_ONLY) && !has(FileOption.LAST_CHECKPOINT) && !header.clean()) {
        file = new OverlayPageFile(path, file, known.pageBytes());
        environment = environment.withFiles(new OverlayFiles(files, path));
      }
      return open(claim, file, header, isNew);
    } catch (RuntimeException | Error failed) {
      file.close();
      throw failed;
    }
  }

  private void check(StoreHeader header) {
    int stripes = 1 + fileOptions.stripes().size();
    if (header.stripes() != stripes) {
      throw refusal(
          "the store is spread over %d files, not %d".formatted(header.stripes(), stripes));
    }
    if (fileOptions.pageBytes() != 0 && fileOptions.pageBytes() != header.pageBytes()) {
      throw new IllegalArgumentException(
          "pageBytes is %d, but %s has pages of %d"
              .formatted(fileOptions.pageBytes(), path, header.pageBytes()));
    }
  }

  private void checkLength(PageFile file, StoreHeader header) {
    long needed = (long) header.slots() * header.pageBytes();
    if (file.bytes() < needed) {
      throw refusal("the file is truncated: it has %d bytes of %d".formatted(file.bytes(), needed));
    }
  }

  private IndexStore open(OpenFiles.Claim claim, PageFile file, StoreHeader header, boolean isNew) {
    BufferPool pool = pool(header.pageBytes());
    Runnable atEnd =
        () -> {
          try (claim) {
            giveBack(pool);
            if (isNew && refused != null) {
              removeMade(refused);
            }
          }
        };
    StoreState state = null;
    try {
      if (pool.pageBytes() != header.pageBytes()) {
        throw new IllegalArgumentException(
            "the pool has pages of %d bytes, but %s has pages of %d"
                .formatted(pool.pageBytes(), path, header.pageBytes()));
      }
      state = new StoreState(path, options, environment, file, pool, header);
      state.claim = claim;
      int[] catalogueSlots = load(state, header);
      Checkpoints checkpoints = new Checkpoints(state, catalogueSlots);
      RecoveryReport report =
          state.condition.isReadOnly()
              ? new RecoveryReport(
                  header.clean(), header.checkpoint(), 0, 0, 0, "the log was not read")
              : recover(state, checkpoints);
      if (isReadOnly()) {
        state.condition.noteReadOnly();
      }
      return new IndexStore(state, checkpoints, isNew ? RecoveryReport.NEW : report, atEnd);
    } catch (RuntimeException | Error failed) {
      if (state != null) {
        state.abandon();
      }
      giveBack(pool);
      throw failed;
    }
  }

  private RecoveryReport recover(StoreState state, Checkpoints checkpoints) {
    try {
      return new Recovery(state, checkpoints, listener).recover();
    } catch (RuntimeException failed) {
      throw IndexFailures.ofRecovery(path, failed);
    }
  }

  /** Reads catalogue and maps; returns the slots of the catalogue. */
  private int[] load(StoreState state, StoreHeader header) {
    List<Integer> catalogueSlots = new ArrayList<>();
    try (PageReader reader = new PageReader(state.file, header.pageBytes())) {
      Catalogue.Place place =
          new Catalogue.Place(header.catalogueSlot(), header.catalogueChecksum());
      Catalogue catalogue = Catalogue.read(place, state.space, reader, catalogueSlots);
      state.nextId = catalogue.nextId();
      state.note = catalogue.note();
      for (Catalogue.Entry entry : catalogue.entries()) {
        PageMap map = PageMap.read(entry.map(), entry.top(), state.space, reader, entry.id());
        state.indexes.put(entry.name(), new IndexPages(entry, map));
      }
    }
    state.space.loaded();
    return catalogueSlots.stream().mapToInt(Integer::intValue).toArray();
  }

  private BufferPool pool(int pageBytes) {
    if (fileOptions.pool().isPresent()) {
      return fileOptions.pool().get();
    }
    return fileOptions.poolBytes() == FileOptions.SHARED_POOL
        ? SharedPools.ofProcess().acquire(pageBytes)
        : BufferPool.own(fileOptions.poolBytes(), pageBytes);
  }

  /** Gives back what {@link #pool} returned. */
  private void giveBack(BufferPool pool) {
    if (pool.isShared()) {
      SharedPools.ofProcess().release(pool);
    } else if (fileOptions.pool().isEmpty()) {
      pool.close();
    }
  }

  private PageFileException refusal(String what) {
    return new PageFileException(path, what, PageFileException.NO_ERRNO);
  }
}
