// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileException;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.StoreDescription;
import dev.espalier.io.StoreOptions;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** Opens and makes index files for commands, and explains in one line why that can't be. */
final class IndexFiles {
  private IndexFiles() {}

  /**
   * Opens an index that is there.
   *
   * @throws CommandFailure if the file is not what the options say, or the pool is too large
   */
  static LongIndex open(Path path, FileOptions options) {
    checkOpens(path, options);
    return explaining(path, () -> Espalier.open(path, options));
  }

  /** Opens an index of a store, or makes it. */
  @FunctionalInterface
  interface IndexOpener<I> {
    I open(IndexStore store, FileOptions options, String name);
  }

  /**
   * Opens an index that is there, by its name.
   *
   * @param name empty for the only one
   * @throws CommandFailure as the other {@code open}, or if there is no such index
   */
  static <I> OpenIndex<I> open(
      Path path, FileOptions options, Optional<String> name, IndexOpener<I> opener) {
    String found = describe(path, options, name).index().name();
    return explaining(path, () -> openNamed(path, options, found, opener));
  }

  private static <I> OpenIndex<I> openNamed(
      Path path, FileOptions options, String name, IndexOpener<I> opener) {
    IndexStore store = IndexStore.open(path, StoreOptions.DEFAULT.withFiles(options));
    try {
      return new OpenIndex<>(store, opener.open(store, options, name));
    } catch (RuntimeException | Error failed) {
      try (store) {
        throw failed;
      }
    }
  }

  /** Opens an index whose keys are longs, as an {@link IndexOpener}. */
  static LongIndex openLongs(IndexStore store, FileOptions options, String name) {
    return options.variant().isPresent()
        ? store.index(name, options.variant().get())
        : store.index(name);
  }

  /** Opens an index whose keys are byte strings, as an {@link IndexOpener}. */
  static BytesIndex openBytes(IndexStore store, FileOptions options, String name) {
    return store.bytesIndex(name);
  }

  /**
   * Opens an index that is there, works with it and closes it.
   *
   * @param name empty for the only one
   * @param longs what to do if its keys are longs
   * @param strings what to do if they are byte strings
   * @return what that returned
   * @throws CommandFailure as {@link #open}
   */
  static int read(
      Path path,
      FileOptions options,
      Optional<String> name,
      ToIntFunction<LongIndex> longs,
      ToIntFunction<BytesIndex> strings) {
    return read(path, options, name, longs, strings, _ -> {});
  }

  /**
   * Does the same.
   *
   * @param atEnd is given the store before it is closed
   */
  static int read(
      Path path,
      FileOptions options,
      Optional<String> name,
      ToIntFunction<LongIndex> longs,
      ToIntFunction<BytesIndex> strings,
      Consumer<IndexStore> atEnd) {
    return describe(path, options, name).hasByteStrings()
        ? read(open(path, options, name, IndexFiles::openBytes), strings, atEnd)
        : read(open(path, options, name, IndexFiles::openLongs), longs, atEnd);
  }

  private static <I> int read(
      OpenIndex<I> opened, ToIntFunction<I> work, Consumer<IndexStore> atEnd) {
    try (opened) {
      int status = work.applyAsInt(opened.index());
      atEnd.accept(opened.store());
      return status;
    }
  }

  /**
   * Checks that an index could be opened: to be called before long work whose outcome goes there.
   *
   * @throws CommandFailure as {@link #open}, as far as the file's header tells
   */
  static void checkOpens(Path path, FileOptions options) {
    checkOpens(path, options, Optional.empty());
  }

  /** As the other {@code checkOpens}, for the index of a name, or the only one. */
  static void checkOpens(Path path, FileOptions options, Optional<String> name) {
    describe(path, options, name);
  }

  /**
   * Returns what an index file's header says.
   *
   * @throws CommandFailure if the path is not that of an index file, or the stripes are wrong
   */
  static IndexSummary describe(Path path, FileOptions options) {
    return describe(path, options, Optional.empty());
  }

  /** As the other {@code describe}, of the index of a name, or the only one. */
  static IndexSummary describe(Path path, FileOptions options, Optional<String> name) {
    return IndexSummary.of(describeStore(path, options), name);
  }

  /** Returns what a file's header says, and what its catalogue says of all indexes. */
  static StoreDescription describeStore(Path path, FileOptions options) {
    checkStore(path);
    return explaining(path, () -> Espalier.describe(path, options));
  }

  /**
   * Checks that there is a file.
   *
   * @throws CommandFailure if there is none
   */
  static void checkStore(Path path) {
    if (Files.isDirectory(path)) {
      throw new CommandFailure(path + ": is a folder");
    }
    if (!Files.exists(path)) {
      throw new CommandFailure(path + ": no such file");
    }
  }

  /** Something that is done with a file. */
  @FunctionalInterface
  private interface Opening<T> {
    T run();
  }

  private static <T> T explaining(Path path, Opening<T> opening) {
    try {
      return opening.run();
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      throw new CommandFailure(path + ": can't be opened: " + e.getMessage(), e);
    }
  }

  /** Returns the bytes of a file and of its stripes. */
  static long bytes(Path path, FileOptions options) {
    try {
      long bytes = 0;
      for (Path file : files(path, options)) {
        bytes += Files.size(file);
      }
      return bytes;
    } catch (IOException e) {
      throw new CommandFailure("can't read the size of " + path + ": " + e, e);
    }
  }

  private static List<Path> files(Path path, FileOptions options) {
    List<Path> files = new ArrayList<>(List.of(path));
    files.addAll(options.stripes());
    return files;
  }

  /**
   * Makes a pool.
   *
   * @throws CommandFailure if it is too small or too large
   */
  static BufferPool pool(long bytes, int pageBytes) {
    try {
      return BufferPool.create(bytes, pageBytes);
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      throw new CommandFailure("--pool: " + e.getMessage(), e);
    }
  }

  /** Returns an index file with its stripes, its log, and what else belongs to it. */
  static List<Path> all(Path path, FileOptions options) {
    List<Path> all = files(path, options);
    if (Files.exists(path)) {
      all.addAll(IndexStore.files(path));
    }
    return all;
  }

  // ---------------------------------------------------------------- make

  /**
   * Checks that an index file can be made: to be called before the work whose outcome it is to
   * hold.
   *
   * @throws CommandFailure if there is no such folder, or something is there already
   */
  static void checkNew(Path path, FileOptions options) {
    for (Path file : files(path, options)) {
      Path folder = file.toAbsolutePath().getParent();
      if (Files.isDirectory(file)) {
        throw new CommandFailure(file + ": is a folder");
      }
      if (Files.exists(file)) {
        throw new CommandFailure(file + ": the file exists already");
      }
      if (folder == null || !Files.isDirectory(folder)) {
        throw new CommandFailure(file + ": no such folder: " + folder);
      }
    }
  }

  /**
   * Makes an index file by bulkload, under another name that it loses when it is complete. If that
   * fails, or the process is told to end meanwhile, there is no file.
   *
   * @param name the index's
   */
  static <I> void make(
      Path path,
      FileOptions options,
      String name,
      LoadInput<I> input,
      double fillFactor,
      ProgressListener listener) {
    List<Path> targets = files(path, options);
    List<Path> parts = targets.stream().map(IndexFiles::part).toList();
    Path part = parts.getFirst();
    FileOptions partOptions =
        options
            .withStripes(parts.subList(1, parts.size()).toArray(Path[]::new))
            .withFlags(FileOption.MUST_BE_NEW);
    try {
      OpenIndex<I> made =
          Interruption.uninterrupted(
              () -> {
                Interruption.deleteAtEnd(parts);
                return explaining(path, () -> openNamed(part, partOptions, name, input::open));
              });
      try (made) {
        input.bulkload(made.index(), fillFactor, listener);
      }
      Interruption.uninterrupted(() -> rename(parts, targets, options.engine()));
    } catch (MemoryLimitException full) {
      throw new CommandFailure("can't load all entries: " + full.getMessage(), full);
    } finally {
      Interruption.uninterrupted(
          () -> delete(parts.stream().flatMap(file -> IndexStore.files(file).stream()).toList()));
      Interruption.keep(parts);
    }
  }

  /**
   * Adds an index to a file by bulkload. If that fails, or the process is told to end meanwhile,
   * the file is as before.
   *
   * @param name of an index that is not there
   */
  static <I> void add(
      Path path,
      FileOptions options,
      String name,
      LoadInput<I> input,
      double fillFactor,
      ProgressListener listener) {
    try (OpenIndex<I> added = explaining(path, () -> openNamed(path, options, name, input::open))) {
      try {
        input.bulkload(added.index(), fillFactor, listener);
      } catch (RuntimeException | Error failed) {
        try {
          added.store().drop(name);
        } catch (RuntimeException | Error other) {
          failed.addSuppressed(other);
        }
        throw failed;
      }
    } catch (MemoryLimitException full) {
      throw new CommandFailure("can't load all entries: " + full.getMessage(), full);
    }
  }

  /** Returns the name of a file in the making; no other process uses it. */
  private static Path part(Path target) {
    String name = "%s.%d.part".formatted(target.getFileName(), ProcessHandle.current().pid());
    return target.resolveSibling(name);
  }

  /**
   * Renames files, the one that leads to the others last, so that each has its name after a crash
   * of the machine, too. Returns their number.
   */
  private static int rename(List<Path> parts, List<Path> targets, PageFileOpener names) {
    List<Path> renamed = new ArrayList<>();
    try {
      for (int i = parts.size() - 1; i >= 0; i--) {
        Files.move(parts.get(i), targets.get(i));
        renamed.add(targets.get(i));
        names.forceNames(targets.get(i));
      }
      return renamed.size();
    } catch (FileAlreadyExistsException e) {
      delete(renamed);
      throw new CommandFailure(e.getFile() + ": the file exists already", e);
    } catch (IOException e) {
      delete(renamed);
      throw new CommandFailure("can't rename a file: " + e, e);
    } catch (PageFileException e) {
      delete(renamed);
      throw e;
    }
  }

  /** Deletes files that are there, and returns how many were. */
  private static int delete(List<Path> files) {
    int deleted = 0;
    for (Path file : files) {
      try {
        deleted += Files.deleteIfExists(file) ? 1 : 0;
      } catch (IOException e) {
        throw new CommandFailure("can't delete " + file + ": " + e, e);
      }
    }
    return deleted;
  }
}
