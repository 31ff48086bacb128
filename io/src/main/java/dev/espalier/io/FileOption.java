// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** How {@link Espalier#open} treats a file. */
public enum FileOption {
  /**
   * The file must be there and closed, and its indexes refuse all changes. Many processes may read
   * at once.
   */
  READ_ONLY,
  /** The file must be there: none is made. */
  MUST_EXIST,
  /** The file is made, and must not be there. */
  MUST_BE_NEW,
  /**
   * The store is opened as of its last checkpoint, for reading only, and its log is not looked at:
   * what was written since is missing. For looking at a store that can't be recovered, or must not
   * be changed.
   */
  LAST_CHECKPOINT,
  /**
   * Range scans read one leaf page after the other, and ask for none ahead: where they shall leave
   * the device to others, and to see what reading ahead gains.
   */
  WITHOUT_READ_AHEAD
}
