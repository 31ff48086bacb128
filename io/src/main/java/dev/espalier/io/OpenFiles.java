// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of stores that this process has open, and the locks that keep other processes out: a
 * process that writes is alone, while many may read.
 *
 * <p>A lock of the system is gone as soon as the process closes any descriptor of the file. So a
 * process does not open a file twice, not even to look at it, and not by another name either: a
 * file is known by its path and, once it exists, by what the system calls it (device and inode).
 */
final class OpenFiles {
  /** Paths and system's keys of the files that are open. */
  private static final Set<Object> OPEN = new HashSet<>();

  private OpenFiles() {}

  /**
   * Files that are open in this process; until this claim is closed, no other one can be made for
   * them.
   */
  static final class Claim implements AutoCloseable {
    private final List<Path> paths;
    private final Claimed claimed;
    private final Cleaner.Cleanable giveUpOnce;

    private Claim(List<Path> paths) {
      this.paths = paths;
      this.claimed = new Claimed();
      this.giveUpOnce = Dropped.once(this, claimed);
    }

    /**
     * Locks the files, which are there by now, against other processes.
     *
     * @throws PageFileException if another process has one open, or this one has locked it by other
     *     means: by itself, or by another copy of these classes
     */
    void lock(boolean forReading) {
      Set<OpenOption> options =
          forReading
              ? Set.of(StandardOpenOption.READ)
              : Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
      for (Path path : paths) {
        Object key = systemKey(path);
        if (key != null && !claimed.keys.contains(key)) {
          claimed.add(path, key);
        }
        try {
          AsynchronousFileChannel opened = AsynchronousFileChannel.open(path, options, null);
          claimed.channels.add(opened);
          if (opened.tryLock(0, Long.MAX_VALUE, forReading) == null) {
            throw new PageFileException(
                path, "another process has the file open", PageFileException.NO_ERRNO);
          }
        } catch (OverlappingFileLockException locked) {
          throw new PageFileException(path, "this process has the file locked already", locked);
        } catch (IOException e) {
          throw new PageFileException(path, "locking failed: " + e, e);
        }
      }
    }

    /** Gives the locks up. */
    @Override
    public void close() {
      giveUpOnce.clean();
      IOException e = claimed.failure;
      if (e != null) {
        throw new PageFileException(paths.getFirst(), "giving up its lock failed: " + e, e);
      }
    }
  }

  /** What a claim holds, given up by its owner, or after the claim was dropped. */
  private static final class Claimed implements Runnable {
    private final List<Object> keys = new ArrayList<>();
    private final List<AsynchronousFileChannel> channels = new ArrayList<>();
    private volatile @Nullable IOException failure;

    void add(Path path, Object key) {
      synchronized (OPEN) {
        if (!OPEN.add(key)) {
          throw new PageFileException(
              path, "this process has the file open already", PageFileException.NO_ERRNO);
        }
        keys.add(key);
      }
    }

    @Override
    public void run() {
      for (AsynchronousFileChannel channel : channels) {
        try {
          channel.close();
        } catch (IOException e) {
          failure = e;
        }
      }
      synchronized (OPEN) {
        keys.forEach(OPEN::remove);
      }
    }
  }

  /**
   * Claims files, which need not exist yet.
   *
   * @throws PageFileException if one is open in this process already
   */
  static Claim claim(List<Path> paths) {
    Claim claim = new Claim(paths);
    try {
      for (Path path : paths) {
        claim.claimed.add(path, realPath(path));
        Object key = systemKey(path);
        if (key != null) {
          claim.claimed.add(path, key);
        }
      }
      return claim;
    } catch (RuntimeException | Error refused) {
      claim.close();
      throw refused;
    }
  }

  /** Returns what the system calls a file, by whatever name; null if it is not there. */
  private static @Nullable Object systemKey(Path path) {
    try {
      return Files.exists(path)
          ? Files.readAttributes(path, BasicFileAttributes.class).fileKey()
          : null;
    } catch (IOException e) {
      throw new PageFileException(path, "can't be looked up: " + e, e);
    }
  }

  /** Returns a path that is the same for all names of a file. */
  private static Path realPath(Path path) {
    try {
      Path absolute = path.toAbsolutePath();
      if (Files.exists(absolute)) {
        return absolute.toRealPath();
      }
      Path folder = absolute.getParent();
      return folder == null || !Files.exists(folder)
          ? absolute.normalize()
          : folder.toRealPath().resolve(absolute.getFileName());
    } catch (IOException e) {
      throw new PageFileException(path, "can't be looked up: " + e, e);
    }
  }
}
