// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The index files that this process has open, and the locks that keep other processes out: one that
 * writes is alone, many may read.
 *
 * <p>A lock of the system is gone as soon as the process closes any descriptor of the file. So a
 * file is not opened twice in a process, not even for a look.
 */
final class OpenFiles {
  private static final Set<Path> OPEN = new HashSet<>();

  private OpenFiles() {}

  /** A file that is open in this process; until it is closed, no other can be made for it. */
  static final class Claim implements AutoCloseable {
    private final Path path;
    private final Claimed claimed;
    private final Cleaner.Cleanable giveUpOnce;

    private Claim(Path path, Path real) {
      this.path = path;
      this.claimed = new Claimed(real);
      this.giveUpOnce = Dropped.once(this, claimed);
    }

    /**
     * Locks the file against other processes.
     *
     * @throws PageFileException if another process has it open
     */
    void lock(boolean forReading) {
      Set<OpenOption> options =
          forReading
              ? Set.of(StandardOpenOption.READ)
              : Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
      try {
        AsynchronousFileChannel opened = AsynchronousFileChannel.open(path, options, null);
        claimed.channel = opened;
        FileLock lock = opened.tryLock(0, Long.MAX_VALUE, forReading);
        if (lock == null) {
          throw new PageFileException(
              path, "another process has the file open", PageFileException.NO_ERRNO);
        }
      } catch (IOException e) {
        throw new PageFileException(path, "locking failed: " + e, e);
      }
    }

    /** Gives the lock up. */
    @Override
    public void close() {
      giveUpOnce.clean();
      IOException e = claimed.failure;
      if (e != null) {
        throw new PageFileException(path, "giving up its lock failed: " + e, e);
      }
    }
  }

  /** What a claim holds, given up by its owner, or after the claim was dropped. */
  private static final class Claimed implements Runnable {
    private final Path real;
    private volatile @Nullable AsynchronousFileChannel channel;
    private volatile @Nullable IOException failure;

    Claimed(Path real) {
      this.real = real;
    }

    @Override
    public void run() {
      AsynchronousFileChannel opened = channel;
      try {
        if (opened != null) {
          opened.close();
        }
      } catch (IOException e) {
        failure = e;
      } finally {
        synchronized (OPEN) {
          OPEN.remove(real);
        }
      }
    }
  }

  /**
   * Claims a file, which need not be there yet.
   *
   * @throws PageFileException if it is open in this process already
   */
  static Claim claim(Path path) {
    Path real = realPath(path);
    synchronized (OPEN) {
      if (!OPEN.add(real)) {
        throw new PageFileException(
            path, "this process has the file open already", PageFileException.NO_ERRNO);
      }
    }
    return new Claim(path, real);
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
