// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import dev.espalier.ffi.Ring;
import dev.espalier.ffi.SystemCallException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The engine of choice: io_uring, with which a batch is one system call that hands all of it to the
 * device at once.
 *
 * <p>A ring is for one thread at a time. So there are several: a thread takes one that no other
 * thread uses or, if there is none, opens another, up to a limit. A batch is finished on the ring
 * on which it was started.
 *
 * <p>Of what its thread waits for, two kinds need no ring. A request alone is a read or write of
 * the system. So are writes through the page cache: they go no further than into memory. Where a
 * file system can't promise not to wait, which is ext4 for such writes and tmpfs for all, a ring
 * hands them to a thread of the kernel, which takes ten times as long as the copy.
 */
final class RingPageFile extends DescriptorFile {
  /** Requests that a ring has with the device at once; more than an SSD works on. */
  static final int ENTRIES = 256;

  /** As many threads as the engines without a ring have; a ring takes 40 KiB of the kernel's. */
  private static final int MOST_LANES = 16;

  private final boolean isCached;

  /** Replaced by a longer array when a lane is added. */
  private volatile Lane[] lanes;

  private RingPageFile(Descriptor descriptor, IoStatus status, Ring ring) {
    super(descriptor, status);
    this.isCached = descriptor.alignment() == 1;
    this.lanes = new Lane[] {new Lane(ring)};
  }

  /**
   * Makes a file from a descriptor and its first ring, both of which the file closes.
   *
   * @param status the status, which says why this engine runs
   */
  static PageFile of(Descriptor descriptor, Ring ring, IoStatus status) {
    return new RingPageFile(descriptor, status, ring);
  }

  @Override
  void submit(IoBatch batch) {
    nameFile(batch);
    use(takeAny(), lane -> lane.submit(batch));
  }

  @Override
  void transfer(IoBatch batch) {
    if (batch.count() == 1 || (batch.writes && isCached)) {
      moveHere(batch);
      return;
    }
    nameFile(batch);
    use(takeAny(), lane -> lane.transfer(batch));
  }

  private void moveHere(IoBatch batch) {
    MemorySegment requests = batch.requests();
    for (int i = 0; i < batch.count(); i++) {
      if (IoRequest.result(requests, i) == IoRequest.QUEUED) {
        IoRequest.result(requests, i, move(number(), requests, i, batch.writes));
      }
    }
  }

  @Override
  void await(IoBatch batch) {
    Lane lane = laneOf(batch);
    if (hasEnded(batch)) {
      lane.noteEnd(batch); // The lane may be that of a thread that waits for its own requests.
      return;
    }
    lane.take();
    use(lane, taken -> taken.transfer(batch));
  }

  @Override
  void reap(IoBatch batch) {
    Lane lane = laneOf(batch);
    if (lane.tryTake()) { // else the thread that has it will note what has ended
      use(lane, Lane::reap);
    }
  }

  @Override
  void stopTransfers() {
    for (Lane lane : lanes) {
      lane.take();
      use(lane, Lane::close);
    }
  }

  private static Lane laneOf(IoBatch batch) {
    return (Lane) Objects.requireNonNull(batch.attachment, "batch was not started");
  }

  private void nameFile(IoBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      IoRequest.file(batch.requests(), i, number());
    }
  }

  /** Does something with a lane that this thread has taken, and gives it back. */
  private void use(Lane lane, Consumer<Lane> action) {
    try {
      action.accept(lane);
    } catch (SystemCallException e) {
      throw new PageFileException(
          path(), "io_uring failed: " + Errno.describe(e.errno()), e.errno());
    } finally {
      lane.giveBack();
    }
  }

  // ---------------------------------------------------------------- lanes

  private Lane takeAny() {
    Lane[] all = lanes;
    for (Lane lane : all) {
      if (lane.tryTake()) {
        return lane;
      }
    }
    return another().orElseGet(this::takeOwn);
  }

  /** Takes the same lane for a thread each time, so that threads spread over them. */
  private Lane takeOwn() {
    Lane[] all = lanes;
    Lane lane = all[(int) (Thread.currentThread().threadId() % all.length)];
    lane.take();
    return lane;
  }

  /** Opens another lane and takes it; none if there are enough, or the system refuses. */
  private synchronized Optional<Lane> another() {
    if (lanes.length == MOST_LANES) {
      return Optional.empty();
    }
    try {
      Lane lane = new Lane(Ring.open(ENTRIES));
      lane.take();
      Lane[] more = Arrays.copyOf(lanes, lanes.length + 1);
      more[more.length - 1] = lane;
      lanes = more;
      return Optional.of(lane);
    } catch (SystemCallException refused) {
      return Optional.empty(); // those that are there do
    }
  }
}
