// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.io.Faults.Operation;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page file that fails when {@link Faults} says so. A request that fails moves nothing; the
 * others of its batch are done. What fails in a start is told by the finish, as engines do.
 */
final class FaultyPageFile implements PageFile {
  private final PageFile file;
  private final Faults faults;

  /** What of a batch was handed on, and the failure of the first request that was not. */
  private record Started(IoBatch rest, @Nullable PageFileException failure) {}

  FaultyPageFile(PageFile file, Faults faults) {
    this.file = file;
    this.faults = faults;
  }

  @Override
  public Path path() {
    return file.path();
  }

  @Override
  public IoStatus status() {
    return file.status();
  }

  @Override
  public int alignment() {
    return file.alignment();
  }

  @Override
  public long bytes() {
    return file.bytes();
  }

  /** Asks for it in one step, as most reads are: engines are faster then. */
  @Override
  public void read(IoBatch batch) {
    file.read(withoutFailing(batch, Operation.READ, "reading"));
    throwFailure(started(batch));
  }

  @Override
  public void startRead(IoBatch batch) {
    IoBatch rest = withoutFailing(batch, Operation.READ, "reading");
    file.startRead(rest);
  }

  @Override
  public void startWrite(IoBatch batch) {
    IoBatch rest = withoutFailing(batch, Operation.WRITE, "writing");
    for (int i = 0; i < rest.count(); i++) {
      faults.done(Operation.WRITE, rest.position(i));
    }
    file.startWrite(rest);
  }

  private IoBatch withoutFailing(IoBatch batch, Operation operation, String doing) {
    IoBatch rest = new IoBatch(batch.memory(), Math.max(batch.count(), 1));
    PageFileException failure = null;
    for (int i = 0; i < batch.count(); i++) {
      int errno = faults.next(operation);
      if (errno == 0) {
        rest.add(batch.position(i), batch.offset(i), batch.length(i));
      } else if (failure == null) {
        failure =
            failure(
                "%s of %d bytes at %d".formatted(doing, batch.length(i), batch.position(i)), errno);
      }
    }
    batch.attachment = new Started(rest, failure);
    return rest;
  }

  @Override
  public boolean isDone(IoBatch batch) {
    return file.isDone(started(batch).rest);
  }

  @Override
  public void finish(IoBatch batch) {
    Started started = started(batch);
    file.finish(started.rest);
    throwFailure(started);
  }

  private static void throwFailure(Started started) {
    if (started.failure != null) {
      throw started.failure;
    }
  }

  private static Started started(IoBatch batch) {
    return (Started) Objects.requireNonNull(batch.attachment);
  }

  @Override
  public void grow(long bytes) {
    check(Operation.GROW, "growing to " + bytes + " bytes");
    file.grow(bytes);
    faults.done(Operation.GROW, -1);
  }

  @Override
  public void truncate(long bytes) {
    file.truncate(bytes);
  }

  @Override
  public void force() {
    check(Operation.FORCE, "forcing it to the device");
    file.force();
    faults.done(Operation.FORCE, -1);
  }

  private void check(Operation operation, String doing) {
    int errno = faults.next(operation);
    if (errno != 0) {
      throw failure(doing, errno);
    }
  }

  private PageFileException failure(String doing, int errno) {
    return new PageFileException(
        path(), doing + " failed as ordered: " + Errno.describe(errno), errno);
  }

  @Override
  public void close() {
    file.close();
  }
}
