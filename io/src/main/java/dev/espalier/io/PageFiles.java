// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * The engines that open page files. {@link #IO_URING} and {@link #THREADS} need Linux and native
 * access; they go past the page cache of the system (O_DIRECT) if blocks are multiples of 4096
 * bytes and the file system can do it.
 */
public final class PageFiles {

  /**
   * io_uring by the native library. Where it does not run, files can't be opened, and the exception
   * says why and what would help.
   */
  public static final PageFileOpener IO_URING =
      (path, access, blockBytes) -> Engines.current().openRing(path, access, blockBytes);

  /**
   * Positioned reads and writes of the system on a small pool of threads. Where native access is
   * not granted, files can't be opened.
   */
  public static final PageFileOpener THREADS =
      (path, access, blockBytes) -> Engines.current().openThreads(path, access, blockBytes);

  /** Positioned reads and writes by an asynchronous channel of Java, through the page cache. */
  public static final PageFileOpener CHANNEL =
      (path, access, _) -> Engines.openChannel(path, access);

  /**
   * The best engine that runs here, or the one that the system property {@code espalier.io} names:
   * {@code uring}, {@code threads} or {@code channel}. {@link PageFile#status} says which, and why
   * not a better one.
   */
  public static final PageFileOpener BEST =
      (path, access, blockBytes) -> Engines.current().openBest(path, access, blockBytes);

  private PageFiles() {}

  /**
   * Returns the engine that {@link #BEST} takes, and why not a better one; direct means that it
   * goes past the page cache where the file system can do it.
   *
   * @throws IllegalArgumentException if the system property {@code espalier.io} names no engine
   */
  public static IoStatus status() {
    return Engines.current().best();
  }
}
