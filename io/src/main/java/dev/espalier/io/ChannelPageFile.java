// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;

/**
 * The engine for programs without native access: an asynchronous channel on a few threads, which,
 * unlike a {@code FileChannel}, is not closed by an interrupt. It goes through the page cache.
 *
 * <p>To hand a request to another thread takes ten times as long as to copy a page. So where the
 * caller waits, it does itself what goes into memory, which all writes do, and a read alone.
 */
final class ChannelPageFile extends EngineFile {
  private final AsynchronousFileChannel channel;
  private final Threads threads;

  private ChannelPageFile(
      Path path, IoStatus status, AsynchronousFileChannel channel, Threads threads) {
    super(path, status);
    this.channel = channel;
    this.threads = threads;
  }

  /**
   * Opens a file.
   *
   * @param status the status, which says why this engine runs
   */
  static PageFile open(Path path, Access access, IoStatus status) {
    return open(path, access, status, new Threads());
  }

  /** Opens a file whose requests are moved by given threads, which it shuts down. */
  static PageFile open(Path path, Access access, IoStatus status, Threads threads) {
    PathCheck.checkFileSystem(path);
    PathCheck.checkPositions(path);
    Set<OpenOption> options =
        switch (access) {
          case READ -> Set.of(StandardOpenOption.READ);
          case WRITE -> Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
          case CREATE ->
              Set.of(
                  StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        };
    try {
      return new ChannelPageFile(
          path, status, AsynchronousFileChannel.open(path, options, threads), threads);
    } catch (IOException e) {
      threads.shutdown();
      throw new PageFileException(path, whyNotOpened(path, e), e);
    }
  }

  /** The threads of a channel, which also takes the caller's for one of them. */
  static final class Threads extends IoThreads {
    private final ThreadLocal<Boolean> isInCaller = ThreadLocal.withInitial(() -> false);

    Threads() {}

    /** Has its threads made by a factory. */
    Threads(ThreadFactory factory) {
      super(factory);
    }

    /** Does something whose tasks are done in this thread. */
    void inCaller(Runnable action) {
      isInCaller.set(true);
      try {
        action.run();
      } finally {
        isInCaller.remove();
      }
    }

    @Override
    public void execute(Runnable task) {
      if (isInCaller.get()) {
        task.run();
      } else {
        super.execute(task);
      }
    }
  }

  private static String whyNotOpened(Path path, IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> PathCheck.whyMissing(path);
      case FileAlreadyExistsException _ -> "the file exists already";
      default -> "the file can't be opened: " + failure;
    };
  }

  @Override
  public int alignment() {
    return 1;
  }

  // ---------------------------------------------------------------- transfer

  @Override
  void submit(IoBatch batch) {
    MemorySegment requests = batch.requests();
    CountDownLatch left = new CountDownLatch(batch.count());
    batch.attachment = left;
    int next = 0;
    try {
      while (next < batch.count()) {
        int i = next++;
        if (IoRequest.result(requests, i) == IoRequest.QUEUED) {
          submit(batch, i, left);
        } else {
          left.countDown();
        }
      }
    } finally { // After an error, those that are not handed over have failed.
      for (; next < batch.count(); next++) {
        IoRequest.result(requests, next, -Errno.EIO);
        left.countDown();
      }
    }
  }

  private void submit(IoBatch batch, int request, CountDownLatch left) {
    Completion completion = new Completion(batch, request, left);
    IoRequest.result(batch.requests(), request, IoRequest.PENDING);
    try {
      ByteBuffer bytes = bytes(batch, request);
      long position = IoRequest.position(batch.requests(), request);
      if (batch.writes) {
        channel.write(bytes, position, this, completion);
      } else {
        channel.read(bytes, position, this, completion);
      }
    } catch (RuntimeException refused) {
      completion.failed(refused, this);
    } catch (Error failed) {
      completion.end(-Errno.EIO);
      throw failed;
    }
  }

  @Override
  void transfer(IoBatch batch) {
    if (batch.writes || batch.count() == 1) {
      threads.inCaller(() -> moveHere(batch));
    } else {
      try {
        submit(batch);
      } catch (RuntimeException | Error failed) {
        if (!hasEnded(batch)) {
          await(batch); // The memory is used for something else afterwards.
        }
        throw failed;
      }
      await(batch);
    }
  }

  @Override
  void await(IoBatch batch) {
    Waiting.await((CountDownLatch) Objects.requireNonNull(batch.attachment));
  }

  /** Moves all by futures: handlers would clear the interrupt status of this thread. */
  private void moveHere(IoBatch batch) {
    MemorySegment requests = batch.requests();
    for (int i = 0; i < batch.count(); i++) {
      if (IoRequest.result(requests, i) == IoRequest.QUEUED) {
        IoRequest.result(requests, i, move(batch, i));
      }
    }
  }

  private int move(IoBatch batch, int request) {
    ByteBuffer bytes = bytes(batch, request);
    long position = IoRequest.position(batch.requests(), request);
    try {
      Future<Integer> moved =
          batch.writes ? channel.write(bytes, position) : channel.read(bytes, position);
      return moved.state() == Future.State.SUCCESS
          ? moved(moved.resultNow())
          : -errnoOf(moved.exceptionNow(), batch, request);
    } catch (RuntimeException refused) {
      return -errnoOf(refused, batch, request);
    }
  }

  private static ByteBuffer bytes(IoBatch batch, int request) {
    long offset = IoRequest.address(batch.requests(), request) - batch.memory().address();
    int length = IoRequest.length(batch.requests(), request);
    return batch.memory().asSlice(offset, length).asByteBuffer();
  }

  /** Returns the bytes that were moved: -1 is the end of the file. */
  private static int moved(int bytes) {
    return Math.max(bytes, 0);
  }

  /** Notes how a request has ended. */
  record Completion(IoBatch batch, int request, CountDownLatch left)
      implements CompletionHandler<Integer, ChannelPageFile> {

    @Override
    public void completed(Integer bytes, ChannelPageFile file) {
      end(moved(bytes));
    }

    @Override
    public void failed(Throwable failure, ChannelPageFile file) {
      int errno = Errno.EIO;
      try {
        errno = file.errnoOf(failure, batch, request);
      } finally {
        end(-errno);
      }
    }

    /** Notes the end, unless it is noted: an error may come behind it. */
    private void end(int result) {
      if (IoRequest.result(batch.requests(), request) == IoRequest.PENDING) {
        IoRequest.result(batch.requests(), request, result);
        left.countDown();
      }
    }
  }

  private int errnoOf(Throwable failure, IoBatch batch, int request) {
    int length = IoRequest.length(batch.requests(), request);
    return errnoOf(failure, () -> batch.writes && !isRoomFor(length));
  }

  private boolean isRoomFor(int bytes) {
    try {
      return Files.getFileStore(path()).getUsableSpace() >= bytes;
    } catch (IOException unknown) {
      return true;
    }
  }

  /**
   * Returns the error number of a failure: Java gives no number, but the system's message, in the
   * language of the process.
   *
   * @param isFull tells whether the device has no room for what was to be written; asked if the
   *     message does not tell
   */
  static int errnoOf(Throwable failure, BooleanSupplier isFull) {
    if (failure instanceof NonWritableChannelException) {
      return Errno.EBADF;
    }
    String message = String.valueOf(failure.getMessage());
    if (message.contains("No space left")) {
      return Errno.ENOSPC;
    }
    if (message.contains("quota")) {
      return Errno.EDQUOT;
    }
    if (message.contains("too large")) {
      return Errno.EFBIG;
    }
    boolean isKnown = message.contains("Input/output error") || !(failure instanceof IOException);
    return !isKnown && isFull.getAsBoolean() ? Errno.ENOSPC : Errno.EIO;
  }

  // ---------------------------------------------------------------- file

  @Override
  long length() {
    try {
      return channel.size();
    } catch (IOException e) {
      throw new PageFileException(path(), "its length can't be read: " + e, e);
    }
  }

  /** Writes zeros, which takes room on the device where only setting the length would not. */
  @Override
  void lengthen(long from, long to) {
    writeZeros(from, to);
  }

  @Override
  void shorten(long bytes) {
    try {
      channel.truncate(bytes);
    } catch (IOException e) {
      throw new PageFileException(path(), "making it shorter failed: " + e, e);
    }
  }

  @Override
  void forceData() {
    try {
      channel.force(false);
    } catch (IOException e) {
      throw new PageFileException(path(), "forcing it to the device failed: " + e, e);
    }
  }

  @Override
  void stop() {
    threads.close();
    try {
      channel.close();
    } catch (IOException e) {
      throw new PageFileException(path(), "closing it failed: " + e, e);
    }
  }
}
