// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The engines that open page files. */
public final class PageFiles {

  /** Positioned reads and writes by an asynchronous channel of Java, through the page cache. */
  public static final PageFileOpener CHANNEL =
      (path, access, _) ->
          ChannelPageFile.open(
              path, access, new IoStatus(IoStatus.Engine.CHANNEL, false, "it was asked for", ""));

  /** The best engine that runs here; {@link PageFile#status} says which, and why that one. */
  public static final PageFileOpener BEST = CHANNEL;

  private PageFiles() {}

  /**
   * Returns an opener that spreads the blocks of a file over several in turn, best on a disk each.
   * They must always be the same ones in the same order.
   *
   * @param engine that opens each of them
   * @param further files, beside the one that is opened; if there are none, the engine is returned
   */
  public static PageFileOpener striped(PageFileOpener engine, List<Path> further) {
    if (further.isEmpty()) {
      return engine;
    }
    List<Path> others = List.copyOf(further);
    return (path, access, blockBytes) ->
        StripedPageFile.open(
            engine, Stream.concat(Stream.of(path), others.stream()).toList(), access, blockBytes);
  }
}
