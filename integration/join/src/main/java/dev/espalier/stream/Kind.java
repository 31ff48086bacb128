// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

/** What is asked of the index. */
enum Kind {
  GET,
  FLOOR,
  CEILING,
  RANGE,
  PUT,
  DELETE;

  boolean isUpdate() {
    return this == PUT || this == DELETE;
  }

  /** Tells whether the answer may depend on keys other than the one asked for. */
  boolean findsEntries() {
    return this == FLOOR || this == CEILING || this == RANGE;
  }
}
