// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryLimitException;
import java.util.Objects;

/** Thrown when a store's file has no room for a page, and can't grow. What is there stays sound. */
final class NoSlotException extends PageFileException {
  private static final long serialVersionUID = 1L;

  NoSlotException(PageFileException full) {
    super(full.path(), "has no room for more pages: " + full.getMessage(), full);
  }

  /** Returns a failure as one of these, if it only says that there is no room. */
  static PageFileException ifFull(PageFileException failure) {
    return failure instanceof NoSlotException || !SlotSpace.isFull(failure)
        ? failure
        : new NoSlotException(failure);
  }

  /** Returns the exception of an index that may not grow any further. */
  MemoryLimitException asLimit() {
    return new MemoryLimitException(String.valueOf(getMessage()), this);
  }

  /** Returns the exception of an index for which a checkpoint could make no room. */
  MemoryLimitException asLastWord() {
    return new MemoryLimitException(
        String.valueOf(getMessage()), Objects.requireNonNull(getCause()));
  }
}
