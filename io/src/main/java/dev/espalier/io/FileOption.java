// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** How {@link Espalier#open} treats a file. */
public enum FileOption {
  /**
   * The file must exist, and its indexes refuse all changes. Many processes may read it at once. A
   * store that was not closed is recovered for this opening only: what recovery changes goes to a
   * temporary file, and the store's files stay as they are. A later crash may lose what such an
   * opening shows, if the system has it in memory only.
   */
  READ_ONLY,
  /** The file must exist; none is made. */
  MUST_EXIST,
  /** The file is made, and must not exist. */
  MUST_BE_NEW,
  /**
   * The store is opened as of its last checkpoint, for reading only, and its log is not read: what
   * was written since is missing. Use this to look at a store that can't be recovered, or must not
   * be changed.
   */
  LAST_CHECKPOINT,
  /**
   * Range scans read one leaf page after the other, and ask for none ahead. Use this to leave the
   * device to others, or to see what reading ahead gains.
   */
  WITHOUT_READ_AHEAD,
  /**
   * Each commit begins a new block of 4096 bytes in the log, so that no block with acknowledged
   * data is ever written again. This is for devices on which a sector that is being written when
   * power fails may lose its previous contents. The log then takes a block for each commit.
   */
  SECTORS_MAY_TEAR,
  /**
   * A store whose log is damaged, or later than its file, is opened all the same, with what comes
   * before the damage; commits behind it are lost, and {@link RecoveryReport#end} says why. Without
   * this option such a store is refused. A store whose file is older than its log may hold damaged
   * pages: {@link Salvage} is for that.
   */
  LOSE_DAMAGED_LOG
}
