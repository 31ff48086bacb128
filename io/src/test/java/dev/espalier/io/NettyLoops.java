// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.FileCalls;
import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;

/** Event loops of Netty's for tests. */
final class NettyLoops {
  private NettyLoops() {}

  /** Tells whether page files can be moved by them. */
  static NativeStatus status() {
    NativeStatus calls = FileCalls.status();
    if (!calls.isAvailable() || IoUring.isAvailable()) {
      return calls;
    }
    return new NativeStatus(
        State.NOT_PERMITTED, "Netty has no io_uring: " + IoUring.unavailabilityCause(), "");
  }

  /** Makes a group of one loop, which does not keep the JVM from ending. */
  static IoEventLoopGroup one() {
    return new MultiThreadIoEventLoopGroup(
        1, new DefaultThreadFactory("netty-of-tests", true), IoUringIoHandler.newFactory());
  }

  /** Opens files on a loop that all tests share. */
  static PageFile open(Path path, Access access, int blockBytes) {
    return NettyPageFiles.on(Shared.LOOP).open(path, access, blockBytes);
  }

  /** Made by the first who needs it. */
  private static final class Shared {
    static final IoEventLoopGroup LOOP = one();
  }
}
