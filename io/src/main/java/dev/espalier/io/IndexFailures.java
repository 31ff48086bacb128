// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import java.nio.file.Path;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why a call of an index has failed as no call should. Either a page lies, whose checksum
 * is right nevertheless, or another thread changed or closed the index during the call. A call that
 * fails again while nobody writes is told of damage.
 *
 * <p>Nothing here is done unless a call has failed.
 */
final class IndexFailures {
  /** How long the thread that writes is waited for: it may itself wait for this one. */
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Reports of progress until a search for damage is given up, since writers wait for it. */
  private static final int MOST_REPORTS = 1 << 10;

  private final StoreWriter writer;
  private final SlotPageStore store;
  private final String name;
  private final Consumer<ProgressListener> verify;

  /** What is known to be damaged, null if nothing is. */
  private volatile @Nullable String known;

  /**
   * Begins without failures.
   *
   * @param name of the index
   * @param verify verifies its tree
   */
  IndexFailures(
      StoreWriter writer, SlotPageStore store, String name, Consumer<ProgressListener> verify) {
    this.writer = writer;
    this.store = store;
    this.name = name;
    this.verify = verify;
  }

  /** Tells whether an exception may come from pages that lie, or that changed meanwhile. */
  static boolean isDoubtful(RuntimeException failed) {
    return failed instanceof InvariantViolationException
        || (failed instanceof CorruptPageException corrupt && corrupt.isMisled())
        || isRaw(failed);
  }

  private static boolean isRaw(RuntimeException failed) {
    return failed instanceof ConcurrentModificationException
        || failed instanceof IndexOutOfBoundsException
        || failed instanceof NegativeArraySizeException
        || failed instanceof ArithmeticException;
  }

  // ---------------------------------------------------------------- calls

  /**
   * Returns what a call that reads is to throw.
   *
   * @param again makes the call once more
   */
  RuntimeException ofRead(RuntimeException failed, Runnable again) {
    return ofRead(failed, again, torn(failed));
  }

  /**
   * Returns what a call is to throw that shows bytes to a reader of the caller's, which may have
   * failed itself.
   *
   * @param again makes the call once more, with a reader that does nothing
   */
  RuntimeException ofShown(RuntimeException failed, Runnable again) {
    return ofRead(failed, again, failed);
  }

  private RuntimeException ofRead(
      RuntimeException failed, Runnable again, RuntimeException otherwise) {
    if (!isDoubtful(failed)) {
      return failed;
    }
    if (!writer.tryAlone(TURN_NANOS)) {
      return torn(failed);
    }
    try {
      again.run();
      // A cursor may have failed where it came from, to which another one does not go.
      return find() == null ? otherwise : damage(failed);
    } catch (RuntimeException second) {
      return isDoubtful(second) ? damage(second) : second;
    } finally {
      writer.endAlone();
    }
  }

  /** Returns what a step of a cursor is to throw. */
  RuntimeException ofStep(RuntimeException failed) {
    return ofStep(failed, torn(failed));
  }

  /** Returns what a cursor is to throw that shows bytes to a reader of the caller's. */
  RuntimeException ofShownStep(RuntimeException failed) {
    return ofStep(failed, failed);
  }

  private RuntimeException ofStep(RuntimeException failed, RuntimeException otherwise) {
    if (!isDoubtful(failed)) {
      return failed;
    }
    if (!writer.tryAlone(TURN_NANOS)) {
      return torn(failed);
    }
    try {
      return find() == null ? otherwise : damage(failed);
    } finally {
      writer.endAlone();
    }
  }

  /** Returns what a change is to throw, during which no other thread can have made one. */
  RuntimeException ofWrite(RuntimeException failed) {
    return isDoubtful(failed) ? damage(failed) : failed;
  }

  /** Returns what a verification is to throw. */
  RuntimeException ofVerify(RuntimeException failed) {
    return isRaw(failed) ? violation(failed) : failed;
  }

  /** Returns what a verifier has to say of an exception of a tree. */
  static InvariantViolationException violation(RuntimeException failed) {
    InvariantViolationException violation =
        new InvariantViolationException("I0", "what pages say makes no sense: " + failed);
    violation.initCause(failed);
    return violation;
  }

  /** Returns what the opening of an index is to throw, which nobody changes meanwhile. */
  static RuntimeException ofOpening(Path path, String name, RuntimeException failed) {
    if (failed instanceof IllegalArgumentException refused) {
      return new IllegalArgumentException(
          "index '%s' of %s can't be opened: %s".formatted(name, path, refused.getMessage()),
          refused);
    }
    return isDoubtful(failed) && !(failed instanceof CorruptPageException)
        ? CorruptPageException.lying(
            path,
            "index '%s' can't be opened, though the checksums of its pages are right: %s"
                .formatted(name, failed),
            failed)
        : failed;
  }

  /** Returns what the recovery of a store is to throw. */
  static RuntimeException ofRecovery(Path path, RuntimeException failed) {
    return isDoubtful(failed) && !(failed instanceof CorruptPageException)
        ? CorruptPageException.lying(
            path,
            "can't be recovered, because what its pages say makes no sense: " + failed,
            failed)
        : failed;
  }

  // ---------------------------------------------------------------- say

  /** Another thread changed the index, as far as can be told. */
  private RuntimeException torn(RuntimeException failed) {
    ConcurrentModificationException torn =
        new ConcurrentModificationException(
            "index '%s' of %s was changed by another thread during the call: %s"
                .formatted(name, store.file(), failed.getMessage()));
    torn.initCause(failed);
    return torn;
  }

  private RuntimeException damage(RuntimeException failed) {
    if (failed instanceof CorruptPageException misled) {
      return misled;
    }
    String found = failed instanceof InvariantViolationException ? failed.getMessage() : find();
    return CorruptPageException.lying(
        store.file.path(),
        "index '%s' is damaged, though the checksums of its pages are right: %s"
            .formatted(name, found == null ? failed : found),
        failed);
  }

  /**
   * Looks for damage; returns the first that there is, null if none was found.
   *
   * @throws IllegalStateException if the index was closed meanwhile
   */
  private @Nullable String find() {
    String found = known;
    if (found == null) {
      int[] reports = {0};
      try {
        verify.accept((_, _) -> ++reports[0] < MOST_REPORTS);
      } catch (CancellationException tooLong) {
        return null;
      } catch (RuntimeException damage) {
        store.checkUsable(); // An index that was closed, or left halfway, is not damaged.
        found = isRaw(damage) ? damage.toString() : damage.getMessage();
        known = found;
      }
    }
    return found;
  }
}
