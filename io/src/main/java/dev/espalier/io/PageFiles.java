// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

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
}
