// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** What is done to a {@link SimulatedDisk}: each is counted, and may fail or be the last. */
enum DiskOperation {
  /** One request of a batch that reads. */
  READ,
  /** One request of a batch that writes. */
  WRITE,
  GROW,
  TRUNCATE,
  FORCE,
  CREATE,
  RENAME,
  DELETE,
  FORCE_NAMES
}
