// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * What opening a store found and did.
 *
 * @param wasClean whether the store had been closed, so that there was nothing to recover
 * @param checkpoint number of the checkpoint from which recovery began
 * @param records log records that were carried out again
 * @param writes number of writes in those records
 * @param logBytes bytes of those records
 * @param end why the log was not followed any further
 */
public record RecoveryReport(
    boolean wasClean, long checkpoint, long records, long writes, long logBytes, String end) {

  /** A store that was just made. */
  static final RecoveryReport NEW = new RecoveryReport(true, 0, 0, 0, 0, "the store is new");
}
