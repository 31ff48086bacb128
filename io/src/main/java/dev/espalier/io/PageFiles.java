// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The engines that open page files. {@link #IO_URING} and {@link #THREADS} need Linux and native
 * access. All but {@link #CACHED} and {@link #CHANNEL} go past the page cache of the system
 * (O_DIRECT) if blocks are multiples of 4096 bytes and the file system can do it.
 */
public final class PageFiles {

  /**
   * io_uring through the native library. Where it does not run, files can't be opened, and the
   * exception says why and what would help.
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
   * {@code uring}, {@code threads} or {@code channel}. {@link PageFile#status} says which one it
   * is, and why it is not a better one.
   *
   * <p>It goes past the page cache. Take it where a program shares its memory with others, and is
   * not to push their files out of the page cache; or where all that it needs is in its pool.
   */
  public static final PageFileOpener DIRECT =
      (path, access, blockBytes) -> Engines.current().openBest(path, access, blockBytes);

  /**
   * The engine of {@link #DIRECT} through the page cache of the system, which keeps pages beside
   * the pool as long as there is memory for them. This is the default of index files; their logs,
   * which are read only to recover, go past the page cache all the same.
   */
  public static final PageFileOpener CACHED =
      (path, access, _) -> Engines.current().openBest(path, access, Descriptor.CACHED);

  /** Returns what opens the logs of files whose pages are opened by an engine. */
  static PageFileOpener forLog(PageFileOpener engine) {
    return engine.equals(CACHED) ? DIRECT : engine;
  }

  private PageFiles() {}

  /**
   * Returns the engine that {@link #DIRECT} takes, and why it is not a better one. Direct means
   * that it goes past the page cache where the file system can do it.
   *
   * @throws IllegalArgumentException if the system property {@code espalier.io} names no engine
   */
  public static IoStatus status() {
    return Engines.current().best();
  }

  /**
   * Returns an opener that spreads the blocks of a file over several files in turn, ideally each on
   * a disk of its own. They must always be the same files in the same order.
   *
   * @param engine the engine that opens each of them
   * @param further the files beside the one that is opened; if there are none, the engine is
   *     returned
   */
  public static PageFileOpener striped(PageFileOpener engine, List<Path> further) {
    if (further.isEmpty()) {
      return engine;
    }
    List<Path> others = List.copyOf(further);
    return (path, access, blockBytes) ->
        StripedPageFile.open(
            engine,
            Stream.concat(Stream.of(path), others.stream()).toList(),
            access,
            blockBytes,
            0);
  }
}
