// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.FileCalls;
import dev.espalier.ffi.IoRequest;
import io.netty.channel.IoEventLoop;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The engine on one of Netty's io_uring event loops. */
final class NettyPageFile extends DescriptorFile {
  private final IoEventLoop loop;
  private final NettyRing ring;

  private NettyPageFile(Descriptor descriptor, IoEventLoop loop, NettyRing ring) {
    super(descriptor, descriptor.status(IoStatus.Engine.NETTY, "", ""));
    this.loop = loop;
    this.ring = ring;
  }

  static PageFile open(Path path, Access access, int blockBytes, IoEventLoop loop) {
    if (!loop.isCompatible(IoUringIoHandle.class)) {
      throw new PageFileException(path, whyNotCompatible(), PageFileException.NO_ERRNO);
    }
    if (!FileCalls.status().isAvailable()) {
      throw new PageFileException(
          path,
          "files for Netty's ring can't be opened: " + FileCalls.status(),
          PageFileException.NO_ERRNO);
    }
    Descriptor descriptor = Descriptor.open(path, access, blockBytes);
    try {
      return new NettyPageFile(
          descriptor, loop, NettyRing.register(loop, path, descriptor.number()));
    } catch (PageFileException failure) {
      giveUp(descriptor, access, failure);
      throw failure;
    }
  }

  private static String whyNotCompatible() {
    return IoUring.isAvailable()
        ? "the event loop does not run on io_uring; make its group with"
            + " IoUringIoHandler.newFactory()"
        : "Netty's io_uring is not available: " + IoUring.unavailabilityCause();
  }

  private static void giveUp(Descriptor descriptor, Access access, PageFileException failure) {
    FileCalls.close(descriptor.number());
    if (access == Access.CREATE) {
      try {
        Files.deleteIfExists(descriptor.path());
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
    }
  }

  // ---------------------------------------------------------------- transfer

  @Override
  void submit(IoBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      if (IoRequest.result(batch.requests(), i) == IoRequest.QUEUED) {
        IoRequest.result(batch.requests(), i, IoRequest.PENDING);
      }
    }
    batch.attachment = ring.submit(batch);
  }

  /** Threads park until the loop has answered. */
  @Override
  boolean holdsThreads() {
    return false;
  }

  @Override
  void transferWhileOpen(IoBatch batch) {
    refuseLoop();
    submitWhileOpen(batch);
    await(batch);
  }

  /** Waits without keeping the file from being closed: closing waits for the batch itself. */
  @Override
  void awaitWhileOpen(IoBatch batch) {
    await(batch);
  }

  @Override
  void await(IoBatch batch) {
    NettyRing.Submission submission =
        (NettyRing.Submission) Objects.requireNonNull(batch.attachment, "batch was not started");
    if (!submission.hasEnded()) {
      refuseLoop();
    }
    submission.await();
  }

  /** The loop notes what has ended. */
  @Override
  void reapWhileOpen(IoBatch batch) {}

  // ---------------------------------------------------------------- file

  @Override
  public void close() {
    refuseLoop();
    super.close();
  }

  @Override
  void stopTransfers() {
    ring.deregister();
  }

  private void refuseLoop() {
    if (loop.inEventLoop()) {
      throw new IllegalStateException(
          "the event loop's own thread would wait for itself; another thread has to do this with "
              + path());
    }
  }
}
