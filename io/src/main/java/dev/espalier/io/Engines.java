// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.FileCalls;
import dev.espalier.ffi.Ring;
import dev.espalier.ffi.SystemCallException;
import dev.espalier.io.IoStatus.Engine;
import dev.espalier.prefetch.NativeStatus;
import java.nio.file.Path;

/**
 * Which engines run here, and which of them is the best. This is a value, so that a test can have
 * another one.
 *
 * @param ring whether io_uring runs
 * @param calls whether the file calls of the system can be made
 * @param forced the value of the system property {@value #SWITCH}; empty if it is not set
 */
record Engines(NativeStatus ring, NativeStatus calls, String forced) {
  static final String SWITCH = "espalier.io";

  private static final String ASKED_FOR = "it was asked for";

  static Engines current() {
    return new Engines(Ring.status(), FileCalls.status(), System.getProperty(SWITCH, ""));
  }

  /**
   * Returns the engine that {@link #openBest} takes, and why it is not a better one.
   *
   * @throws IllegalArgumentException if the system property has another value
   */
  IoStatus best() {
    if (forced.isEmpty()) {
      return unforced();
    }
    Engine engine =
        switch (forced) {
          case "uring" -> Engine.IO_URING;
          case "threads" -> Engine.THREADS;
          case "channel" -> Engine.CHANNEL;
          default ->
              throw new IllegalArgumentException(
                  "the system property %s is '%s'; it must be uring, threads or channel"
                      .formatted(SWITCH, forced));
        };
    return new IoStatus(
        engine,
        engine != Engine.CHANNEL,
        "the system property " + SWITCH + " is " + forced,
        "leave it out to have the best that runs");
  }

  private IoStatus unforced() {
    if (ring.isAvailable() && calls.isAvailable()) {
      return new IoStatus(Engine.IO_URING, true, "", "");
    }
    if (calls.isAvailable()) {
      return new IoStatus(Engine.THREADS, true, ring.detail(), ring.remedy());
    }
    return new IoStatus(Engine.CHANNEL, false, calls.detail(), calls.remedy());
  }

  // ---------------------------------------------------------------- open

  /** Opens a file with the best engine; if the system has no ring left, with the second best. */
  PageFile openBest(Path path, Access access, int blockBytes) {
    IoStatus best = best();
    return switch (best.engine()) {
      case IO_URING -> {
        try {
          yield openRing(path, access, blockBytes, best);
        } catch (SystemCallException refused) {
          NativeStatus why = Ring.refusal(refused.errno());
          if (!forced.isEmpty()) {
            throw refusal(path, Engine.IO_URING, why);
          }
          yield openThreads(path, access, blockBytes, why.detail(), why.remedy());
        }
      }
      case THREADS -> openThreads(path, access, blockBytes, best.reason(), best.remedy());
      default -> ChannelPageFile.open(path, access, best);
    };
  }

  /** Opens a file with io_uring. */
  PageFile openRing(Path path, Access access, int blockBytes) {
    try {
      return openRing(path, access, blockBytes, new IoStatus(Engine.IO_URING, true, "", ""));
    } catch (SystemCallException refused) {
      throw refusal(path, Engine.IO_URING, Ring.refusal(refused.errno()));
    }
  }

  private PageFile openRing(Path path, Access access, int blockBytes, IoStatus why) {
    demand(path, Engine.IO_URING, ring);
    demand(path, Engine.IO_URING, calls);
    // Before the file, so that none is made in vain.
    Ring first = Ring.open(RingPageFile.ENTRIES);
    try {
      Descriptor descriptor = Descriptor.open(path, access, blockBytes);
      return RingPageFile.of(
          descriptor, first, descriptor.status(Engine.IO_URING, why.reason(), why.remedy()));
    } catch (RuntimeException | Error refused) {
      first.close();
      throw refused;
    }
  }

  /** Opens a file with positioned reads and writes on threads. */
  PageFile openThreads(Path path, Access access, int blockBytes) {
    return openThreads(path, access, blockBytes, ASKED_FOR, "");
  }

  private PageFile openThreads(
      Path path, Access access, int blockBytes, String reason, String remedy) {
    demand(path, Engine.THREADS, calls);
    Descriptor descriptor = Descriptor.open(path, access, blockBytes);
    return ThreadPageFile.of(descriptor, descriptor.status(Engine.THREADS, reason, remedy));
  }

  /** Opens a file with a channel of Java. */
  static PageFile openChannel(Path path, Access access) {
    return ChannelPageFile.open(path, access, new IoStatus(Engine.CHANNEL, false, ASKED_FOR, ""));
  }

  private static void demand(Path path, Engine engine, NativeStatus status) {
    if (!status.isAvailable()) {
      throw refusal(path, engine, status);
    }
  }

  private static PageFileException refusal(Path path, Engine engine, NativeStatus status) {
    return new PageFileException(
        path,
        "can't be opened with %s: %s".formatted(engine.description(), status),
        PageFileException.NO_ERRNO);
  }
}
