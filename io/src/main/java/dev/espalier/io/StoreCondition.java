// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a store can still be used for. This never gets better: a store that was closed, or that
 * holds half a change, no longer answers; one that could not write takes no more changes.
 */
final class StoreCondition {
  private final Path path;

  /** What messages call that whose condition this is. */
  private final String subject;

  private volatile boolean readOnly;

  /** What is said to whoever wants to change what is for reading only. */
  private final String refusal;

  private volatile boolean closed;
  private volatile boolean dropped;

  private final Damage damage;

  /** What has happened to all indexes of a store at once. */
  static final class Damage {
    /** Why no change is taken any more, null if they are. */
    private volatile @Nullable PageFileException failure;

    /** Why nothing at all works any more: a change was left halfway. */
    private volatile @Nullable Throwable halfway;
  }

  /** Begins well. */
  StoreCondition(Path path, String subject, boolean readOnly) {
    this(path, subject, readOnly, new Damage());
  }

  /** Begins as well as those of other indexes that share the damage. */
  StoreCondition(Path path, String subject, boolean readOnly, Damage damage) {
    this(path, subject, readOnly, "opened for reading only", damage);
  }

  private StoreCondition(
      Path path, String subject, boolean readOnly, String refusal, Damage damage) {
    this.path = path;
    this.subject = subject;
    this.readOnly = readOnly;
    this.refusal = refusal;
    this.damage = damage;
  }

  /** Begins well, whatever befalls the store: for what can only be read, and says so. */
  static StoreCondition readOnly(Path path, String subject, String refusal) {
    return new StoreCondition(path, subject, true, refusal, new Damage());
  }

  /** Returns what messages call that whose condition this is. */
  String subject() {
    return subject;
  }

  boolean isReadOnly() {
    return readOnly;
  }

  boolean isClosed() {
    return closed;
  }

  boolean isHalfway() {
    return damage.halfway != null;
  }

  /** Tells whether pages can be pinned. */
  boolean isUsable() {
    return !closed && damage.halfway == null;
  }

  // ---------------------------------------------------------------- check

  /**
   * Checks that pages can be pinned.
   *
   * @throws IllegalStateException if not
   */
  void checkUsable() {
    if (closed) {
      throw new IllegalStateException(closedMessage());
    }
    Throwable cause = damage.halfway;
    if (cause != null) {
      throw new IllegalStateException(
          path + ": the index can't be used, because a change failed halfway: " + cause, cause);
    }
  }

  /**
   * Checks that pages may be changed, even if only to take back what a failed change has done.
   *
   * @throws IllegalStateException if pages can't be pinned
   * @throws UnsupportedOperationException if the file is opened for reading only
   */
  void checkWritable() {
    checkUsable();
    if (readOnly) {
      throw new UnsupportedOperationException(path + ": " + refusal);
    }
  }

  /**
   * Checks that a change may begin, as {@link #checkWritable} does.
   *
   * @throws IllegalStateException if earlier changes could not be written, too
   */
  void checkTakesChanges() {
    checkWritable();
    PageFileException reason = damage.failure;
    if (reason != null) {
      throw new IllegalStateException(
          path
              + ": takes no more changes, because earlier ones could not be written: "
              + reason.getMessage(),
          reason);
    }
  }

  // ---------------------------------------------------------------- note

  /** Takes no changes from now on. */
  void noteReadOnly() {
    readOnly = true;
  }

  /** Takes no more changes, because changed pages could not be written. Returns the reason. */
  PageFileException noteFailure(Throwable cause) {
    PageFileException reason =
        cause instanceof PageFileException known
            ? known
            : new PageFileException(path, "writing failed: " + cause, cause);
    if (damage.failure == null) {
      damage.failure = reason;
    }
    return reason;
  }

  /** Stops answering, because a change was left halfway. */
  void noteHalfway(Throwable cause) {
    if (damage.halfway == null) {
      damage.halfway = cause;
    }
  }

  void noteClosed() {
    closed = true;
  }

  /** Lets messages say, once this is closed, that it was dropped. */
  void noteDropped() {
    dropped = true;
  }

  /** Returns what is said to whoever uses what is closed. */
  String closedMessage() {
    return subject + (dropped ? " was dropped" : " is closed");
  }

  /** Tells whether no changes are taken any more because one, or the device, has failed. */
  boolean hasFailed() {
    return damage.halfway != null || damage.failure != null;
  }

  /**
   * Returns what the closing of a store {@linkplain #hasFailed that has failed} throws.
   *
   * @param unsaved why the log could not be made durable, null if it was
   */
  PageFileException loss(@Nullable RuntimeException unsaved) {
    Throwable torn = damage.halfway;
    Throwable cause = torn != null ? torn : Objects.requireNonNull(damage.failure);
    PageFileException loss =
        new PageFileException(
            path,
            "closed without %s, because %s: %s; %s"
                .formatted(
                    unsaved == null ? "a last checkpoint" : "the last changes",
                    torn != null ? "a change failed halfway" : "writing failed",
                    cause.getMessage(),
                    unsaved == null
                        ? "the next opening recovers from the log what was written before"
                        : "what was written since the last commit may be lost"),
            cause);
    if (unsaved != null) {
      loss.addSuppressed(unsaved);
    }
    return loss;
  }
}
