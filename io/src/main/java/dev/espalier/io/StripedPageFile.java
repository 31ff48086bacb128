// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;

/**
 * One page file spread over several files, ideally each on a disk of its own: block b is in file b
 * mod n of n, so that neighbouring blocks are moved by different disks (fpB+ 4.3.2).
 *
 * <p>A batch becomes a batch per file; all are started before any is waited for. What is in one
 * file only, as a page is, that file moves in its own way. The length is that up to which no file
 * lacks a byte: if one could not grow, others may be longer than needed.
 */
final class StripedPageFile implements PageFile {
  private final List<PageFile> files;
  private final int blockBytes;

  /** Bytes before the blocks in each file but the first. */
  private final long before;

  /**
   * Makes one file of several that are open.
   *
   * @param before bytes before the blocks in each file but the first
   */
  StripedPageFile(List<PageFile> files, int blockBytes, long before) {
    this.files = List.copyOf(files);
    this.blockBytes = blockBytes;
    this.before = before;
  }

  /**
   * Opens all files, or none: those that were made before one could not be are deleted again.
   *
   * @param before bytes before the blocks in each file but the first
   */
  static StripedPageFile open(
      PageFileOpener engine, List<Path> paths, Access access, int blockBytes, long before) {
    checkDistinct(paths);
    List<PageFile> files = new ArrayList<>();
    try {
      for (Path path : paths) {
        files.add(engine.open(path, access, blockBytes));
      }
    } catch (RuntimeException failure) {
      giveUp(engine, files, access, failure);
      throw failure;
    }
    return new StripedPageFile(files, blockBytes, before);
  }

  private static void checkDistinct(List<Path> paths) {
    long distinct =
        paths.stream().map(path -> path.toAbsolutePath().normalize()).distinct().count();
    if (distinct < paths.size()) {
      throw new IllegalArgumentException("a file is there twice among " + paths);
    }
  }

  private static void giveUp(
      PageFileOpener engine, List<PageFile> files, Access access, RuntimeException failure) {
    for (PageFile file : files) {
      try {
        file.close();
        if (access == Access.CREATE) {
          engine.delete(file.path());
        }
      } catch (RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
  }

  @Override
  public Path path() {
    return files.getFirst().path();
  }

  /**
   * Returns the status of the first file that goes through the page cache, or of the first file if
   * none does.
   */
  @Override
  public IoStatus status() {
    return files.stream()
        .map(PageFile::status)
        .filter(status -> !status.direct())
        .findFirst()
        .orElseGet(files.getFirst()::status);
  }

  @Override
  public int alignment() {
    return files.stream().mapToInt(PageFile::alignment).max().orElseThrow();
  }

  // ---------------------------------------------------------------- transfer

  /** Does something with the part of a batch that is in one file. */
  @FunctionalInterface
  private interface OnPart {
    void accept(PageFile file, IoBatch part);
  }

  @Override
  public void read(IoBatch batch) {
    move(batch, PageFile::read, PageFile::startRead);
  }

  @Override
  public void write(IoBatch batch) {
    move(batch, PageFile::write, PageFile::startWrite);
  }

  private void move(IoBatch batch, OnPart move, OnPart start) {
    StripedBatch striped = cut(batch);
    int file = striped.onlyFile();
    if (file >= 0) {
      move.accept(files.get(file), striped.part(file));
    } else {
      start(striped, start);
      finish(striped, files.size());
    }
  }

  @Override
  public void startRead(IoBatch batch) {
    start(cut(batch), PageFile::startRead);
  }

  @Override
  public void startWrite(IoBatch batch) {
    start(cut(batch), PageFile::startWrite);
  }

  private StripedBatch cut(IoBatch batch) {
    return StripedBatch.cut(batch, files.size(), blockBytes, before);
  }

  private void start(StripedBatch striped, OnPart start) {
    int started = 0;
    try {
      for (; started < files.size(); started++) {
        if (striped.part(started).count() > 0) {
          start.accept(files.get(started), striped.part(started));
        }
      }
    } catch (RuntimeException | Error refused) {
      try {
        finish(striped, started); // The memory is not theirs any more.
      } catch (RuntimeException | Error failure) {
        if (!failure.equals(refused)) { // None can be suppressed by itself.
          refused.addSuppressed(failure);
        }
      }
      throw refused;
    }
  }

  @Override
  public boolean isDone(IoBatch batch) {
    StripedBatch striped = StripedBatch.of(batch);
    for (int i = 0; i < files.size(); i++) {
      if (striped.part(i).count() > 0 && !files.get(i).isDone(striped.part(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void finish(IoBatch batch) {
    finish(StripedBatch.of(batch), files.size());
  }

  /** Waits for the parts of the first files. */
  private void finish(StripedBatch striped, int count) {
    forEach(
        files.subList(0, count),
        (file, i) -> {
          if (striped.part(i).count() > 0) {
            file.finish(striped.part(i));
          }
        });
  }

  // ---------------------------------------------------------------- files

  @Override
  public long bytes() {
    long bytes = Long.MAX_VALUE;
    for (int i = 0; i < files.size(); i++) {
      long length = Math.max(0, files.get(i).bytes() - before(i));
      long firstBlockNotFull = length / blockBytes * files.size() + i;
      bytes = Math.min(bytes, firstBlockNotFull * blockBytes + length % blockBytes);
    }
    return bytes;
  }

  @Override
  public void grow(long bytes) {
    for (int i = 0; i < files.size(); i++) {
      files.get(i).grow(before(i) + bytesOf(i, bytes));
    }
  }

  @Override
  public void truncate(long bytes) {
    for (int i = 0; i < files.size(); i++) {
      files.get(i).truncate(before(i) + bytesOf(i, bytes));
    }
  }

  private long before(int file) {
    return file == 0 ? 0 : before;
  }

  /**
   * Returns how long the blocks of a file have to be so that all files together have a given
   * length.
   */
  private long bytesOf(int file, long bytes) {
    long fullBlocks = bytes / blockBytes;
    int n = files.size();
    long before = (fullBlocks + n - 1 - file) / n * blockBytes;
    return fullBlocks % n == file ? before + bytes % blockBytes : before;
  }

  @Override
  public void force() {
    forEach(files, (file, _) -> file.force());
  }

  @Override
  public void close() {
    forEach(files, (file, _) -> file.close());
  }

  /** Does something to each file, as {@link ForEach} does. */
  private static void forEach(List<PageFile> files, ObjIntConsumer<PageFile> action) {
    ForEach.all(
        IntStream.range(0, files.size()).boxed().toList(), i -> action.accept(files.get(i), i));
  }
}
