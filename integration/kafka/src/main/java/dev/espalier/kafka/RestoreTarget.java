// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import org.jspecify.annotations.Nullable;

/** Takes records of a changelog in their order; of the records of one key the last one counts. */
interface RestoreTarget {
  /** Takes a record, whose value is null if there is no entry any more. */
  void add(Entries entries, byte[] key, byte @Nullable [] value);

  /** Is told that entries have gone from the file, with all records taken for them. */
  void forget(Entries entries);
}
