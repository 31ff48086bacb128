// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import io.netty.channel.IoEventLoopGroup;
import java.util.Objects;

/**
 * The engine for programs that run Netty's io_uring event loops: page files are read and written by
 * a ring that already exists.
 *
 * <p>It needs {@code io.netty:netty-transport-classes-io_uring} and the native library of Netty,
 * {@code netty-transport-native-io_uring}, on the class path or module path. The rest of Espalier
 * does without them.
 */
public final class NettyPageFiles {
  private NettyPageFiles() {}

  /**
   * Returns an opener of files whose bytes are moved by event loops. Each file belongs to one loop,
   * the group's next one when the file is opened; a batch is one task of that loop.
   *
   * <p>The loop's own thread may start batches and ask whether they are done. It must not wait for
   * them: {@link PageFile#read}, {@link PageFile#write}, {@link PageFile#close}, and {@link
   * PageFile#finish} of a batch under way throw {@link IllegalStateException} there.
   *
   * <p>The loops still belong to the program. If it shuts down a loop while requests are under way,
   * they end with a {@link PageFileException}, and so does every later request.
   *
   * @param loops a group made with {@code IoUringIoHandler.newFactory()}, or one loop of it
   */
  @SuppressWarnings("exports") // See the module's declaration.
  public static PageFileOpener on(IoEventLoopGroup loops) {
    Objects.requireNonNull(loops, "loops");
    return (path, access, blockBytes) -> NettyPageFile.open(path, access, blockBytes, loops.next());
  }
}
