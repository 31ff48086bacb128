// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
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

  /** The least memory for pages of one file. */
  static final long LEAST_POOL_BYTES = 1 << 20;

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
    } finally {
      Files.deleteIfExists(own);
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

  private static java.nio.file.Path copy(InputStream in) throws IOException {
    java.nio.file.Path copy = Files.createTempFile("espalier-", ".esp");
    try {
      Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
      return copy;
    } catch (IOException | RuntimeException | Error failed) {
      Files.deleteIfExists(copy);
      throw failed;
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

  /** Puts a local file in the place of this one. */
  void replaceBy(java.nio.file.Path next) throws IOException {
    Path file = new Path(path);
    FileSystem system = file.getFileSystem();
    if (!system.isDistributedFS()) {
      Files.move(
          next, local(file), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return;
    }
    Path part = new Path(path + ".part-" + UUID.randomUUID());
    try {
      try (OutputStream out = system.create(part, FileSystem.WriteMode.NO_OVERWRITE)) {
        Files.copy(next, out);
      }
      system.delete(file, false); // Not every file system renames over a file.
      if (!system.rename(part, file)) {
        throw new IOException(path + ": the new index file could not be renamed to this");
      }
    } finally {
      system.delete(part, false);
      Files.deleteIfExists(next);
    }
  }

  private static java.nio.file.Path beside(java.nio.file.Path local) {
    return local.resolveSibling("." + local.getFileName() + "." + UUID.randomUUID());
  }

  private static java.nio.file.Path local(Path file) {
    return java.nio.file.Path.of(file.toUri().getPath());
  }
}
