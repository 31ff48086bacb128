// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.DiskOperation.CREATE;
import static dev.espalier.io.DiskOperation.FORCE;
import static dev.espalier.io.DiskOperation.GROW;
import static dev.espalier.io.DiskOperation.READ;
import static dev.espalier.io.DiskOperation.RENAME;
import static dev.espalier.io.DiskOperation.WRITE;

import java.util.EnumSet;
import java.util.Set;

/** How an operation of a {@link SimulatedDisk} goes wrong. */
enum DiskFault {
  /**
   * EIO. A write leaves some of its sectors written and others not; what a force leaves, {@link
   * SimulatedFile#failForce} says; all else is as if it had not been tried.
   */
  DEVICE_ERROR(EnumSet.allOf(DiskOperation.class)),
  /** ENOSPC, whatever room there is: nothing is written. A force fails as by a device error. */
  FULL(EnumSet.of(WRITE, GROW, FORCE, CREATE, RENAME)),
  /** EINTR: nothing is moved, and the request has to be repeated. */
  INTERRUPTED(EnumSet.of(READ, WRITE)),
  /** Only the beginning is moved, and the rest has to be asked for again. */
  SHORT(EnumSet.of(READ, WRITE)),
  /** One sector lands elsewhere in the same file, and the write reports success. */
  MISDIRECTED(EnumSet.of(WRITE));

  private final Set<DiskOperation> operations;

  DiskFault(Set<DiskOperation> operations) {
    this.operations = operations;
  }

  /** Tells whether an operation can go wrong in this way. */
  boolean suits(DiskOperation operation) {
    return operations.contains(operation);
  }

  /** Returns the error number that the operation fails with, where it fails for good. */
  int errno() {
    return this == FULL ? Errno.ENOSPC : Errno.EIO;
  }
}
