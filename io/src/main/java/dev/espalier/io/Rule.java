// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * Rules that a store follows so that a crash harms nothing, and so that transactions see one moment
 * and commit as if nobody had come between. All stores follow all of them; a test leaves one out,
 * to see that it shows what that rule is for.
 */
enum Rule {
  /** From its capture on, nothing is written to the slots of a checkpoint. */
  CAPTURED_SLOTS_ARE_NOT_FRESH,
  /** The slots of the last durable checkpoint are busy until the next one is durable. */
  DURABLE_SLOTS_STAY_BUSY,
  /** A page of a map goes to a new slot each time it is written. */
  MAPS_ARE_NEVER_IN_PLACE,
  /** The header is written when all it refers to is safe. */
  HEADER_COMES_LAST,
  /** Segments of the log are free when the checkpoint that makes them so is durable. */
  SEGMENTS_ARE_FREE_AFTER_THE_HEADER,
  /** The file is cut off when the checkpoint that needs less of it is durable. */
  TRUNCATION_COMES_AFTER_THE_HEADER,
  /** Where the log goes on is noted at the moment of which the captured pages are. */
  PAGES_AND_LOG_POSITION_ARE_OF_ONE_MOMENT,
  /** The slots of a snapshot are busy until it is closed. */
  SNAPSHOTS_HOLD_THEIR_SLOTS,
  /** No checkpoint is captured between the changes of a batch and its record. */
  NO_CAPTURE_INSIDE_A_BATCH,
  /** No checkpoint is captured between the change of a writer and its record. */
  CAPTURE_WAITS_FOR_WRITERS,
  /** The log has the writes to each key in the order in which the tree has them. */
  LOG_ORDER_IS_TREE_ORDER,
  /** The log has a write before readers of a tree for many threads can see it. */
  READERS_SEE_WHAT_IS_LOGGED,
  /** A writer makes sure that the log has room for what all those within may yet append. */
  LOG_ROOM_IS_FOR_ALL_WRITERS,
  /** What is not logged ends in a checkpoint, before anything is logged. */
  UNLOGGED_CHANGES_END_IN_A_CHECKPOINT,
  /** Recovery ends in a checkpoint. */
  RECOVERY_ENDS_IN_A_CHECKPOINT,
  /** A record counts only if it is of the epoch of the checkpoint. */
  RECORDS_HAVE_AN_EPOCH,
  /** A record counts only if it has the next sequence number. */
  SEQUENCE_HAS_NO_HOLE,
  /** A record counts only if its checksum fits. */
  RECORDS_HAVE_A_CHECKSUM,
  /** A record tells how far the log was forced, and no further. */
  RECORDS_TELL_WHAT_WAS_FORCED,
  /** A hole in the log is damage if a later record, or the header, says that it was forced. */
  DAMAGE_TO_FORCED_RECORDS_IS_NOTICED,
  /** Where sectors may tear, a block of the log with acknowledged records is not written again. */
  ACKNOWLEDGED_BLOCKS_STAY,
  /** Slots are kept for the pages of maps and catalogue. */
  SLOTS_ARE_RESERVED,
  /** Slots are kept for one more catalogue. */
  ONE_MORE_CATALOGUE_IS_RESERVED,
  /** A transaction says that it is about to begin before it looks at the time. */
  TRANSACTIONS_ARE_ANNOUNCED_FIRST,
  /** The first transaction waits until no change without versions is under way. */
  TRANSACTIONS_WAIT_FOR_CHANGES,
  /** Looking at the time and being among the open transactions are one step. */
  TIME_AND_ENTRY_ARE_ONE_STEP,
  /** Versions are kept while the oldest open transaction may need them. */
  VERSIONS_STAY_FOR_THE_OLDEST,
  /** A transaction reads the tree first, and then looks for versions. */
  TREES_ARE_READ_BEFORE_VERSIONS,
  /** A version is there before the tree is changed. */
  VERSIONS_COME_BEFORE_CHANGES,
  /** The time of a turn is published when all of its changes are in the trees. */
  TURNS_ARE_PUBLISHED_AT_THEIR_END,
  /** A writer is within the gate before it looks whether a transaction is open. */
  WRITERS_ARE_WITHIN_BEFORE_THEY_LOOK,
  /** A commit is refused if another one has written one of its keys meanwhile. */
  KEYS_WRITTEN_ARE_CHECKED,
  /** A serializable commit is refused if another one has written a key that it has read. */
  KEYS_READ_ARE_CHECKED,
  /** A serializable commit is refused if another one has written to a range that it has read. */
  RANGES_READ_ARE_CHECKED
}
