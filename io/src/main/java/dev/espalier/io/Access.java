// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** What is done with a file that is opened. */
public enum Access {
  /** It must be there, and is only read. */
  READ,
  /** It must be there, and is read and written. */
  WRITE,
  /** It is made, and must not be there. */
  CREATE
}
