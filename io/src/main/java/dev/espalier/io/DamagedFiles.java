// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryPageStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of the pages of a damaged store. Whatever is missing, or can't be opened, reads as
 * zeros. The files are not changed.
 */
final class DamagedFiles implements AutoCloseable {
  private final List<PageFile> files = new ArrayList<>();
  private final List<String> findings;

  /** The first file that tells which store it belongs to, null if none has yet. */
  private @Nullable Teller teller;

  private record Teller(Path file, long storeId) {}

  /**
   * Opens the files.
   *
   * @param findings takes what is wrong
   * @throws PageFileException if there is no file, or one is in the wrong place or of another store
   */
  DamagedFiles(Path path, FileOptions options, List<String> findings) {
    this.findings = findings;
    List<Path> all = new ArrayList<>(List.of(path));
    all.addAll(options.stripes());
    if (all.stream().noneMatch(Files::exists)) {
      throw new PageFileException(path, "no such file", PageFileException.NO_ERRNO);
    }
    try {
      for (Path file : all) {
        files.add(new OverlayPageFile(file, open(file, options), MemoryPageStore.MIN_PAGE_BYTES));
        checkPlace(files.size() - 1);
      }
    } catch (RuntimeException | Error failed) {
      close();
      throw failed;
    }
  }

  private @Nullable PageFile open(Path file, FileOptions options) {
    if (!Files.exists(file)) {
      findings.add(file + ": the file is missing");
      return null;
    }
    try {
      // Blocks so small that it may end anywhere.
      return options.engine().open(file, Access.READ, MemoryPageStore.MIN_PAGE_BYTES);
    } catch (PageFileException failed) {
      findings.add(failed.getMessage());
      return null;
    }
  }

  private void checkPlace(int place) {
    PageFile file = files.get(place);
    StripeLabel label = StripeLabel.read(file);
    if (label == null) {
      teller = place == 0 ? ofFirst(file) : teller;
      return;
    }
    if (label.place() != place) {
      throw new PageFileException(
          file.path(),
          "is stripe %d, but is named in place %d".formatted(label.place(), place),
          PageFileException.NO_ERRNO);
    }
    if (teller == null) {
      teller = new Teller(file.path(), label.storeId());
    }
    if (label.storeId() != teller.storeId) {
      throw new PageFileException(
          file.path(),
          "is stripe %d of another store than %s".formatted(label.place(), teller.file),
          PageFileException.NO_ERRNO);
    }
  }

  /** Returns what a copy of the header in the first file tells, null if none is whole there. */
  private static @Nullable Teller ofFirst(PageFile file) {
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      try {
        StoreHeader header = StoreHeaders.copy(file, MemoryPageStore.MIN_PAGE_BYTES, copy);
        if (header != null) {
          return new Teller(file.path(), header.storeId());
        }
      } catch (PageFileException _) {
        // Another copy may be readable, and else the labels tell.
      }
    }
    return null;
  }

  /** Returns the file of the pages, assuming that they have a given number of bytes. */
  PageFile over(int pageBytes) {
    return files.size() == 1
        ? files.getFirst()
        : new StripedPageFile(files, pageBytes, StripeLabel.bytes(pageBytes));
  }

  /** Returns the newest header, null if none is whole. */
  @Nullable StoreHeader newestHeader() {
    StoreHeader newest = null;
    for (int bytes = MemoryPageStore.MIN_PAGE_BYTES;
        bytes <= MemoryPageStore.MAX_PAGE_BYTES;
        bytes *= 2) {
      for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
        StoreHeader header = header(copy, bytes);
        if (header != null && (newest == null || header.checkpoint() > newest.checkpoint())) {
          newest = header;
        }
      }
    }
    return newest;
  }

  /** Returns a copy of the header, null if it is not whole. */
  @Nullable StoreHeader header(int copy, int pageBytes) {
    try {
      StoreHeader header = StoreHeaders.copy(over(pageBytes), pageBytes, copy);
      return header != null && header.pageBytes() == pageBytes ? header : null;
    } catch (PageFileException failed) {
      return null;
    }
  }

  int count() {
    return files.size();
  }

  @Override
  public void close() {
    files.forEach(PageFile::close);
  }
}
