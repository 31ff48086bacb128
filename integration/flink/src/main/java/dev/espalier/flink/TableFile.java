// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFileException;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.UUID;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * The index file of a table, or a folder of several, wherever Flink finds it.
 *
 * @param path where it is
 * @param poolBytes memory for its pages, {@link FileOptions#SHARED_POOL} for what all index files
 *     of the process share
 * @param refreshInterval how often to look whether it was replaced, zero for never
 * @param shards number of files; one is the path itself, several are in the folder
 */
record TableFile(String path, long poolBytes, Duration refreshInterval, int shards)
    implements Serializable {
  /* Overview
   *
   * A process opens a file once, by its path and by its inode. So that a file that replaced another
   * can be opened while the one before is in use, each is opened under a name of its own: a hard
   * link beside it, or a copy if it is elsewhere. The name is removed as soon as the file is open;
   * the file itself goes when it is closed.
   */

  /** Tells one content of the file from another. */
  record Stamp(Object file, long time, long bytes) {}

  /** Returns what tells the present content of the file from others. */
  Stamp stamp() throws IOException {
    Path file = new Path(path);
    FileSystem system = file.getFileSystem();
    if (system.isDistributedFS()) {
      FileStatus status = system.getFileStatus(file);
      return new Stamp("", status.getModificationTime(), status.getLen());
    }
    try {
      BasicFileAttributes attributes = Files.readAttributes(local(file), BasicFileAttributes.class);
      return new Stamp(
          String.valueOf(attributes.fileKey()),
          attributes.lastModifiedTime().toInstant().toEpochMilli(),
          attributes.size());
    } catch (NoSuchFileException e) {
      throw new FileNotFoundException(path + ": there is no such index file");
    }
  }

  /** What is copied between two looks at whether to go on. */
  private static final int COPIED_BYTES = 1 << 20;

  /** The least memory for pages of one file. */
  static final long LEAST_POOL_BYTES = 1 << 20;

  /**
   * Returns by what a process knows the file: the same however its path is written, as a process
   * opens a file of its own only once.
   */
  String name() throws IOException {
    Path file = new Path(path);
    return file.getFileSystem().isDistributedFS()
        ? path
        : local(file).toAbsolutePath().normalize().toString();
  }

  /** Returns one of the files, which gets its part of the memory. */
  TableFile shard(int number) {
    if (shards == 1) {
      return this;
    }
    return new TableFile(
        "%s/%d-of-%d.esp".formatted(path, number, shards),
        poolBytes == FileOptions.SHARED_POOL
            ? poolBytes
            : Math.max(LEAST_POOL_BYTES, poolBytes / shards),
        refreshInterval,
        1);
  }

  /** Returns this file as two who share it want it: with the larger pool, the shorter interval. */
  TableFile sharedWith(TableFile other) {
    Duration interval = other.refreshInterval;
    boolean isShorter =
        !interval.isZero() && (refreshInterval.isZero() || interval.compareTo(refreshInterval) < 0);
    return new TableFile(
        path, Math.max(poolBytes, other.poolBytes), isShorter ? interval : refreshInterval, shards);
  }

  /** Opens the file as it is now, for reading. */
  <I> I open(TableFormat<I> format) throws IOException {
    FileOptions options =
        FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY).withPoolBytes(poolBytes);
    java.nio.file.Path own = ownName();
    try {
      return format.open(own, options);
    } catch (PageFileException failed) {
      if (!wasClosed(own, options)) {
        throw new IOException(
            path + ": was not closed; 'espalier recover' does so, and so does opening it to write",
            failed);
      }
      throw failed;
    } finally {
      Files.deleteIfExists(own);
    }
  }

  /** Tells whether a file is whole without its log, which has no name beside the file's own. */
  private static boolean wasClosed(java.nio.file.Path own, FileOptions options) {
    try {
      return Espalier.describe(own, options).isClean();
    } catch (PageFileException unknown) {
      return true;
    }
  }

  private java.nio.file.Path ownName() throws IOException {
    Path file = new Path(path);
    FileSystem system = file.getFileSystem();
    if (system.isDistributedFS()) {
      try (InputStream in = system.open(file)) {
        return copy(in);
      }
    }
    java.nio.file.Path local = local(file);
    if (!Files.exists(local)) {
      throw new FileNotFoundException(path + ": there is no such index file");
    }
    try {
      return Files.createLink(beside(local), local);
    } catch (IOException | UnsupportedOperationException _) {
      // A folder that may not be written to, or a file system without links.
      try (InputStream in = Files.newInputStream(local)) {
        return copy(in);
      }
    }
  }

  /** Copies a file to one of the system, which is temporary. */
  static java.nio.file.Path copy(InputStream in) throws IOException {
    java.nio.file.Path copy = Files.createTempFile("espalier-", ".esp");
    try {
      try (OutputStream out = Files.newOutputStream(copy)) {
        transfer(in, out);
      }
      return copy;
    } catch (IOException | RuntimeException | Error failed) {
      Files.deleteIfExists(copy);
      throw failed;
    }
  }

  /**
   * Copies all there is. It may take minutes, and Flink ends a process in which a task goes on for
   * so long after it was cancelled.
   *
   * @throws InterruptedIOException if the thread was interrupted, as Flink does to a task then
   */
  private static void transfer(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[COPIED_BYTES];
    for (int count; (count = in.read(buffer)) >= 0; ) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("the copy of an index file was interrupted");
      }
      out.write(buffer, 0, count);
    }
  }

  /** Returns a name that no file has, for one that is to take the place of this one. */
  java.nio.file.Path newName() throws IOException {
    Path file = new Path(path);
    if (file.getFileSystem().isDistributedFS()) {
      return java.nio.file.Path.of(System.getProperty("java.io.tmpdir"))
          .resolve("espalier-" + UUID.randomUUID() + ".esp");
    }
    java.nio.file.Path local = local(file).toAbsolutePath();
    java.nio.file.Path folder = local.getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    return beside(local);
  }

  /** Puts a local file in the place of this one. It is there after a crash of the machine, too. */
  void replaceBy(java.nio.file.Path next) throws IOException {
    replaceBy(next, PageFiles.CACHED);
  }

  /**
   * Does the same.
   *
   * @param names gives a file of the system its name
   */
  void replaceBy(java.nio.file.Path next, PageFileOpener names) throws IOException {
    Path file = new Path(path);
    FileSystem system = file.getFileSystem();
    if (!system.isDistributedFS()) {
      java.nio.file.Path local = local(file).toAbsolutePath();
      names.rename(next, local);
      names.forceNames(local);
      return;
    }
    Path part = new Path(path + ".part-" + UUID.randomUUID());
    try {
      copy(next, system, part);
      system.delete(file, false); // Not every file system renames over a file.
    } catch (IOException | RuntimeException | Error failed) {
      system.delete(part, false);
      throw failed;
    } finally {
      Files.deleteIfExists(next);
    }
    rename(system, part, file);
  }

  private static void copy(java.nio.file.Path from, FileSystem system, Path to) throws IOException {
    try (InputStream in = Files.newInputStream(from);
        OutputStream out = system.create(to, FileSystem.WriteMode.NO_OVERWRITE)) {
      transfer(in, out);
    }
  }

  /** Gives a file its name; if that fails, it keeps the one it has: there is no other. */
  private void rename(FileSystem system, Path part, Path file) throws IOException {
    IOException failure = null;
    try {
      if (system.rename(part, file)) {
        return;
      }
    } catch (IOException e) {
      failure = e;
    }
    throw new IOException(
        path + ": the new index file could not be renamed to this, and is " + part, failure);
  }

  private static java.nio.file.Path beside(java.nio.file.Path local) {
    return local.resolveSibling("." + local.getFileName() + "." + UUID.randomUUID());
  }

  private static java.nio.file.Path local(Path file) {
    return java.nio.file.Path.of(file.toUri().getPath());
  }
}
