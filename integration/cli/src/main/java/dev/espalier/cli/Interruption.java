// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What happens when the process is told to end, by Ctrl-C or SIGTERM: files that are not finished
 * are deleted, and work that must not be cut off is waited for. The JVM then ends with the status
 * 128 + the signal's number.
 *
 * <p>All of this is in a shutdown hook, which the JVM runs beside the threads that are at work. A
 * lock keeps them apart; the hook never gives it back, so nothing is begun after it.
 */
public final class Interruption {
  private static final ReentrantLock LOCK = new ReentrantLock();

  /** Files and folders that are deleted at the end; under the lock. */
  private static final Set<Path> UNFINISHED = new LinkedHashSet<>();

  /** Processes that are killed at the end, before files are deleted; under the lock. */
  private static final Set<Process> CHILDREN = new LinkedHashSet<>();

  /** What is done at the end before anything is killed or deleted; under the lock. */
  private static final List<Runnable> LAST_ACTIONS = new ArrayList<>();

  /** How often a folder is deleted into which another thread still puts files. */
  private static final int DELETIONS = 20;

  private static volatile boolean requested;

  static {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(Interruption::end, "interruption"));
    } catch (IllegalStateException ending) {
      requested = true;
    }
  }

  private Interruption() {}

  /** Makes sure that the process ends as described here. */
  static void prepare() {
    // The static initializer has done it.
  }

  /** Tells work that is waited for whether it should come to an end. */
  public static boolean isRequested() {
    return requested;
  }

  /**
   * Does work that the end of the process waits for. Where it takes long, it has to ask {@link
   * #isRequested} now and then. Once the end has begun, this does nothing and never returns.
   */
  public static <T> T uninterrupted(Supplier<T> work) {
    awaitEndIfRequested();
    LOCK.lock();
    try {
      return work.get();
    } finally {
      LOCK.unlock();
    }
  }

  /** Never returns if the process is ending and does not wait for this thread. */
  static void awaitEndIfRequested() {
    while (requested && !LOCK.isHeldByCurrentThread()) {
      LockSupport.park();
    }
  }

  /**
   * Lets files, or folders with all that is in them, be deleted if the process ends before {@link
   * #keep}. Call this with their creation as one piece of {@link #uninterrupted} work.
   */
  public static void deleteAtEnd(Collection<Path> paths) {
    uninterrupted(() -> UNFINISHED.addAll(paths));
  }

  /** Keeps files or folders from now on, whatever happens. */
  public static void keep(Collection<Path> paths) {
    uninterrupted(() -> UNFINISHED.removeAll(paths));
  }

  /**
   * Lets something be done when the process is told to end, before files are deleted, such as to
   * say how far the work has come. It may {@link #keep} files.
   */
  static void doAtEnd(Runnable action) {
    uninterrupted(() -> LAST_ACTIONS.add(action));
  }

  /** Leaves out what {@link #doAtEnd} was given. */
  static void forget(Runnable action) {
    uninterrupted(() -> LAST_ACTIONS.remove(action));
  }

  /** Lets a process be killed when this one ends, until {@link #forget}. */
  static void killAtEnd(Process child) {
    uninterrupted(() -> CHILDREN.add(child));
  }

  /** Leaves a process alone, which has ended. */
  static void forget(Process child) {
    uninterrupted(() -> CHILDREN.remove(child));
  }

  private static void end() {
    requested = true;
    LOCK.lock();
    ProgressBar.wipeForGood();
    try {
      LAST_ACTIONS.forEach(Runnable::run);
    } finally {
      for (Process child : CHILDREN) {
        child.destroyForcibly().onExit().join();
      }
      for (Path path : UNFINISHED) {
        deleteAll(path);
      }
    }
  }

  private static void deleteAll(Path path) {
    for (int attempt = 0; attempt < DELETIONS; attempt++) {
      try {
        for (Path file : filesOf(path)) {
          Files.deleteIfExists(file);
        }
        return;
      } catch (IOException | UncheckedIOException | PageFileException e) {
        // A file may have come or gone meanwhile.
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /**
   * Returns a file with its log, or a folder and all that is in it, folders after their contents.
   */
  private static List<Path> filesOf(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return IndexStore.files(path);
    }
    try (Stream<Path> files = Files.walk(path)) {
      return files.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
