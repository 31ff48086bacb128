// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.ffi.FileCalls;
import dev.espalier.ffi.Ring;
import dev.espalier.prefetch.NativeStatus;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The engines of this library, each with a block that goes past the page cache and one that can't.
 */
enum EngineUnderTest {
  RING(PageFiles.IO_URING, Ring::status, 512),
  RING_DIRECT(PageFiles.IO_URING, Ring::status, 4096),
  THREADS(PageFiles.THREADS, FileCalls::status, 512),
  THREADS_DIRECT(PageFiles.THREADS, FileCalls::status, 4096),
  NETTY(NettyLoops::open, NettyLoops::status, 512),
  NETTY_DIRECT(NettyLoops::open, NettyLoops::status, 4096),
  CHANNEL(PageFiles.CHANNEL, () -> new NativeStatus(NativeStatus.State.AVAILABLE, "Java", ""), 512);

  private final PageFileOpener opener;
  private final Supplier<NativeStatus> status;
  final int blockBytes;

  EngineUnderTest(PageFileOpener opener, Supplier<NativeStatus> status, int blockBytes) {
    this.opener = opener;
    this.status = status;
    this.blockBytes = blockBytes;
  }

  /** Skips the test where the engine does not run. */
  void assumeItRuns() {
    NativeStatus found = status.get();
    assumeTrue(found.isAvailable(), found::toString);
  }

  /** Opens a file, or skips the test where the engine does not run. */
  PageFile open(Path path, Access access) {
    assumeItRuns();
    return opener.open(path, access, blockBytes);
  }
}
