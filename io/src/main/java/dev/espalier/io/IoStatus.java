// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * Which engine moves the bytes of a file, and why that one.
 *
 * @param engine the kind of engine
 * @param direct whether it goes past the page cache of the system (O_DIRECT)
 * @param reason why a better engine is not in use, and why the page cache is; empty if nothing is
 *     better
 * @param remedy what the user can do to get a better engine; empty if there is nothing to do
 */
public record IoStatus(Engine engine, boolean direct, String reason, String remedy) {

  /** The kinds of engine. */
  public enum Engine {
    /** io_uring through the native library: a batch is one system call. */
    IO_URING("io_uring"),
    /** io_uring through Netty's event loop. */
    NETTY("Netty's io_uring"),
    /** Positioned reads and writes (pread, pwrite) on a small pool of threads. */
    THREADS("positioned reads and writes on threads"),
    /** An asynchronous channel of Java, without native access. */
    CHANNEL("asynchronous channel of Java");

    private final String description;

    Engine(String description) {
      this.description = description;
    }

    /** {@return its kind in words} */
    String description() {
      return description;
    }
  }

  /** {@return engine, page cache, reason and remedy in one line} */
  @Override
  public String toString() {
    StringBuilder line = new StringBuilder(engine.description);
    line.append(direct ? ", direct" : ", through the page cache");
    if (!reason.isEmpty()) {
      line.append("; ").append(reason);
    }
    if (!remedy.isEmpty()) {
      line.append("; ").append(remedy);
    }
    return line.toString();
  }
}
