// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * Rules that a store follows so that a crash harms nothing. All stores follow all of them; a test
 * leaves one out, to see that its crashes show what that rule is for.
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
  /** Where sectors may tear, a block of the log with acknowledged records is not written again. */
  ACKNOWLEDGED_BLOCKS_STAY,
  /** Slots are kept for the pages of maps and catalogue. */
  SLOTS_ARE_RESERVED,
  /** Slots are kept for one more catalogue. */
  ONE_MORE_CATALOGUE_IS_RESERVED
}
