// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** How {@link Espalier#open} treats a file. */
public enum FileOption {
  /** The file must be there, and the index refuses all changes. Many processes may read at once. */
  READ_ONLY,
  /** The file must be there: none is made. */
  MUST_EXIST,
  /** The file is made, and must not be there. */
  MUST_BE_NEW,
  /**
   * A file that was not closed cleanly is opened as it is, for reading only. Its tree may be torn:
   * entries may be missing or old, lookups may end in exceptions. For rescuing what can be read;
   * {@code verify} tells whether anything is wrong.
   */
  EVEN_IF_UNCLEAN,
  /**
   * Range scans read one leaf page after the other, and ask for none ahead: where they shall leave
   * the device to others, and to see what reading ahead gains.
   */
  WITHOUT_READ_AHEAD
}
