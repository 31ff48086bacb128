// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.concurrent.SwappableIndex;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An index file that is open once in this process, for all tasks that read it; it is closed when
 * the last of them has given it back. If the file is replaced, tasks go on with the new one: it is
 * looked at in the shortest interval that any of them has asked for, and gets the largest pool.
 *
 * @param <I> the kind of index
 */
final class IndexTable<I> {
  private static final Map<Name, IndexTable<?>> OPEN = new HashMap<>();

  private final Name name;
  private final TableFormat<I> format;
  private int users;

  /** The file, as all who have acquired it together want it. */
  private TableFile file;

  private @Nullable SwappableIndex<I> index;
  private TableFile.@Nullable Stamp stamp;
  private @Nullable Thread refresher;

  /** Goes up with each replacement. */
  private final AtomicLong version = new AtomicLong();

  private final AtomicLong failedRefreshes = new AtomicLong();

  private volatile boolean isClosing;

  /** By what tasks find a table: two formats never share one. */
  private record Name(String path, Class<?> format) {}

  private IndexTable(Name name, TableFile file, TableFormat<I> format) {
    this.name = name;
    this.file = file;
    this.format = format;
  }

  // ---------------------------------------------------------------- users

  /** Returns the table of a file, which is opened if no task has it open, to be released. */
  @SuppressWarnings("unchecked") // A format of one class opens one kind of index.
  static <I> IndexTable<I> acquire(TableFile file, TableFormat<I> format) throws IOException {
    Name name = new Name(file.name(), format.getClass());
    IndexTable<I> table;
    synchronized (OPEN) {
      table = (IndexTable<I>) OPEN.computeIfAbsent(name, _ -> new IndexTable<>(name, file, format));
      table.users++;
    }
    try {
      table.open(file);
      return table;
    } catch (IOException | RuntimeException | Error failed) {
      table.release();
      throw failed;
    }
  }

  /** Gives the table back. Readers must be closed before. */
  void release() {
    synchronized (OPEN) { // As long as the file is open, it must not be opened again.
      users--;
      if (users == 0) {
        OPEN.remove(name);
        close();
      }
    }
  }

  /** Opens the file, unless it is open; what a user wants of it counts from now on. */
  private synchronized void open(TableFile wanted) throws IOException {
    file = file.sharedWith(wanted);
    if (index == null) {
      TableFile.Stamp now = file.stamp();
      index = format.swappable(file.open(format));
      stamp = now;
    }
    if (refresher != null) {
      notifyAll(); // The interval may be shorter now.
    } else if (!file.refreshInterval().isZero()) {
      refresher = Thread.ofPlatform().daemon().name("espalier-refresh").start(this::refreshAgain);
    }
  }

  private void close() {
    Thread thread;
    SwappableIndex<I> last;
    synchronized (this) {
      thread = refresher;
      last = index;
    }
    isClosing = true;
    if (thread != null) {
      thread.interrupt();
      joinUninterruptibly(thread);
    }
    if (last != null) {
      last.close();
    }
  }

  private static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---------------------------------------------------------------- refresh

  private void refreshAgain() {
    try {
      while (!isClosing) {
        awaitRefresh();
        try {
          refresh();
        } catch (IOException | RuntimeException | Error _) {
          // The version before is still good, and the next attempt may succeed, with more memory.
          failedRefreshes.incrementAndGet();
        }
      }
    } catch (InterruptedException _) {
      // The table is being closed.
    }
  }

  /** Waits for an interval, which may get shorter meanwhile. */
  private synchronized void awaitRefresh() throws InterruptedException {
    long begin = System.nanoTime();
    for (long left; (left = intervalNanoseconds() - (System.nanoTime() - begin)) > 0; ) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private synchronized long intervalNanoseconds() {
    return TimeUnit.NANOSECONDS.convert(file.refreshInterval());
  }

  /** Makes the file's present content current if it was replaced. */
  private void refresh() throws IOException {
    TableFile wanted = file();
    TableFile.Stamp now = wanted.stamp();
    if (now.equals(stamp)) {
      return;
    }
    current().swap(wanted.open(format));
    stamp = now;
    version.incrementAndGet();
  }

  private synchronized TableFile file() {
    return file;
  }

  private synchronized SwappableIndex<I> current() {
    if (index == null) {
      throw new IllegalStateException(name.path + " is not open");
    }
    return index;
  }

  /** Returns how often the file was replaced. */
  long refreshes() {
    return version.get();
  }

  /** Returns how often the file was replaced by one that could not be opened. */
  long failedRefreshes() {
    return failedRefreshes.get();
  }

  // ---------------------------------------------------------------- read

  /** Returns a reader, for one thread. */
  Reader reader() {
    return new Reader();
  }

  /**
   * Holds the version that was current when it last looked, so that a lookup costs no more than
   * seeing that nothing has changed.
   */
  final class Reader implements AutoCloseable {
    private long seen = version.get();
    private SwappableIndex.Lease<I> lease = current().lease();
    private I index = lease.index();

    /** Returns whether {@link #index} would return another index than before. */
    boolean isBehind() {
      return seen != version.get();
    }

    /** Returns the current version, which is open until the next call. */
    I index() {
      if (isBehind()) {
        seen =
            version
                .get(); // Before the lease: it may be of a later version, never of an earlier one.
        lease.close();
        lease = current().lease();
        index = lease.index();
      }
      return index;
    }

    @Override
    public void close() {
      lease.close();
    }
  }
}
