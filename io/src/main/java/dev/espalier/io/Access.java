// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** What a file is opened for. */
public enum Access {
  /** The file must exist, and is only read. */
  READ,
  /** The file must exist, and is read and written. */
  WRITE,
  /** The file is made, and must not exist. */
  CREATE
}
