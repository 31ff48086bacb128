// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.paged.StoredTree;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;

/** How an index file is opened, made, or looked at: everything that is done once. */
final class FileOpening {
  private final Path path;
  private final FileOptions options;

  FileOpening(Path path, FileOptions options) {
    PathCheck.checkFileSystem(path);
    options.stripes().forEach(PathCheck::checkFileSystem);
    this.path = path;
    this.options = options;
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new UnsupportedOperationException("index files need a little-endian processor");
    }
  }

  private PageFileOpener engine() {
    return PageFiles.striped(options.engine(), options.stripes());
  }

  private boolean has(FileOption flag) {
    return options.flags().contains(flag);
  }

  // ---------------------------------------------------------------- open

  LongIndex open() {
    OpenFiles.Claim claim = OpenFiles.claim(path);
    try {
      boolean exists = Files.exists(path);
      if (exists && has(FileOption.MUST_BE_NEW)) {
        throw refusal("the file exists already");
      }
      if (!exists && (has(FileOption.MUST_EXIST) || has(FileOption.READ_ONLY))) {
        throw refusal("no such file");
      }
      return exists ? openExisting(claim) : create(claim);
    } catch (RuntimeException | Error failed) {
      claim.close();
      throw failed;
    }
  }

  private LongIndex openExisting(OpenFiles.Claim claim) {
    FileHeader known = knownHeader();
    boolean readOnly = has(FileOption.READ_ONLY);
    PageFile file = engine().open(path, readOnly ? Access.READ : Access.WRITE, known.pageBytes());
    try {
      claim.lock(readOnly);
      FileHeader header = HeaderReader.newest(file, known.pageBytes());
      if (!header.isClean()) {
        return index(file, asFarAsKnown(file, header), new int[0], true, claim);
      }
      checkLength(file, header);
      return index(file, header, FreePages.read(file, header), readOnly, claim);
    } catch (RuntimeException | Error failed) {
      file.close();
      throw failed;
    }
  }

  /** Returns the header by which a file that is not clean is read: every page may be in use. */
  private FileHeader asFarAsKnown(PageFile file, FileHeader header) {
    if (!has(FileOption.EVEN_IF_UNCLEAN)) {
      throw refusal(
          "the index was not closed cleanly, so its tree may be torn; it can be opened only with"
              + " the option EVEN_IF_UNCLEAN, for reading what is left");
    }
    if (header.top() == 0) {
      throw refusal("nothing was ever flushed, so there is nothing to be read");
    }
    long pages = file.bytes() / header.pageBytes() - FileHeader.BLOCKS;
    return header.withPages(Math.clamp(pages, header.top(), Integer.MAX_VALUE - 8));
  }

  /** Reads what never changes of a file that is there, and checks it. */
  private FileHeader knownHeader() {
    PathCheck.checkRegular(path);
    FileHeader header = HeaderReader.anyCopy(path);
    check(header);
    return header;
  }

  private void check(FileHeader header) {
    if (!header.codecs().equals(FileHeader.LONG_CODECS)) {
      throw refusal("keys and values are coded as '" + header.codecs() + "', which is unknown");
    }
    if (header.stripes() != 1 + options.stripes().size()) {
      throw refusal(
          "the index is spread over %d files, not %d"
              .formatted(header.stripes(), 1 + options.stripes().size()));
    }
    if (options.pageBytes() != 0 && options.pageBytes() != header.pageBytes()) {
      throw new IllegalArgumentException(
          "pageBytes is %d, but %s has pages of %d"
              .formatted(options.pageBytes(), path, header.pageBytes()));
    }
    if (options.variant().isPresent() && !options.variant().get().name().equals(header.kind())) {
      throw new IllegalArgumentException(
          "variant is %s, but %s holds a %s"
              .formatted(options.variant().get().name(), path, header.kind()));
    }
  }

  private void checkLength(PageFile file, FileHeader header) {
    long free = FreePages.blocks(header.freePages(), header.pageBytes());
    long needed = (FileHeader.BLOCKS + header.top() + free) * header.pageBytes();
    if (file.bytes() < needed) {
      throw refusal("the file is truncated: it has %d bytes of %d".formatted(file.bytes(), needed));
    }
  }

  private LongIndex create(OpenFiles.Claim claim) {
    TreeVariant variant = options.variant().orElse(DiskFirstFpbPlusTree.VARIANT);
    int pageBytes = options.pageBytes() != 0 ? options.pageBytes() : FileOptions.DEFAULT_PAGE_BYTES;
    FileHeader header =
        new FileHeader(
            0,
            new SecureRandom().nextLong(),
            pageBytes,
            true,
            0,
            0,
            1 + options.stripes().size(),
            Collections.nCopies(PageStore.META_WORDS, 0L),
            variant.name(),
            FileHeader.LONG_CODECS);
    PageFile file = engine().open(path, Access.CREATE, pageBytes);
    try {
      claim.lock(false);
      file.grow((long) FileHeader.BLOCKS * pageBytes);
      header.writeTo(file);
      return index(file, header, new int[0], false, claim);
    } catch (RuntimeException | Error failed) {
      file.close();
      deleteMade(failed);
      throw failed;
    }
  }

  /** Deletes the files that were just made, which would be in the way of the next attempt. */
  private void deleteMade(Throwable reason) {
    try {
      Files.deleteIfExists(path);
      for (Path stripe : options.stripes()) {
        Files.deleteIfExists(stripe);
      }
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  private LongIndex index(
      PageFile file, FileHeader header, int[] free, boolean readOnly, OpenFiles.Claim claim) {
    boolean ownsPool = options.pool().isEmpty();
    BufferPool pool = options.pool().orElseGet(() -> ownPool(header.pageBytes()));
    FilePageStore store = null;
    try {
      if (pool.pageBytes() != header.pageBytes()) {
        throw new IllegalArgumentException(
            "the pool has pages of %d bytes, but %s has pages of %d"
                .formatted(pool.pageBytes(), path, header.pageBytes()));
      }
      Runnable atEnd =
          () -> {
            try (claim) {
              if (ownsPool) {
                pool.close();
              }
            }
          };
      boolean readsAhead = !has(FileOption.WITHOUT_READ_AHEAD);
      store = new FilePageStore(file, pool, header, free, readOnly, readsAhead, atEnd);
      pool.enter(store);
      // The caller's variant, if there is one, has the file's name, but may have a geometry.
      TreeVariant variant = options.variant().orElseGet(() -> Family.named(header.kind()));
      LongIndex index =
          variant.open(IndexOptions.DEFAULT.withMissingValue(options.missingValue()), store);
      store.flush(); // a file that was just made holds a tree from now on
      return index;
    } catch (RuntimeException | Error failed) {
      if (store != null) {
        pool.waves.forget(store);
        pool.leave(store);
      }
      if (ownsPool) {
        pool.close();
      }
      throw failed;
    }
  }

  private BufferPool ownPool(int pageBytes) {
    long least = (BufferPool.MIN_FRAMES + 1L) * pageBytes;
    return BufferPool.create(Math.max(options.poolBytes(), least), pageBytes);
  }

  private PageFileException refusal(String what) {
    return new PageFileException(path, what, PageFileException.NO_ERRNO);
  }

  // ---------------------------------------------------------------- inspect

  FileDescription describe() {
    try (OpenFiles.Claim claim = OpenFiles.claim(path)) {
      FileHeader known = knownHeader();
      try (PageFile file = engine().open(path, Access.READ, known.pageBytes())) {
        claim.lock(true);
        return description(HeaderReader.newest(file, known.pageBytes()), file.status());
      }
    }
  }

  private FileDescription description(FileHeader header, IoStatus engine) {
    return new FileDescription(
        path,
        FileHeader.VERSION,
        header.kind(),
        header.codecs(),
        header.pageBytes(),
        header.top() - header.freePages(),
        header.freePages(),
        header.stripes(),
        StoredTree.height(header.metaWords()),
        StoredTree.size(header.metaWords()),
        header.isClean(),
        engine);
  }

  /** Looks at every page that the header and the list of free pages say is in use. */
  List<CorruptPageException> findDamage(ProgressListener listener) {
    try (OpenFiles.Claim claim = OpenFiles.claim(path)) {
      FileHeader known = knownHeader();
      try (PageFile file = engine().open(path, Access.READ, known.pageBytes())) {
        claim.lock(true);
        FileHeader header = HeaderReader.newest(file, known.pageBytes());
        return new DamageSearch(file, header).search(listener);
      }
    }
  }
}
