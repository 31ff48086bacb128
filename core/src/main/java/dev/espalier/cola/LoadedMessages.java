// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.support.BulkloadInput;

/** The entries of a bulkload: puts all of them. */
final class LoadedMessages extends MessageStream {
  private static final int BLOCK = 256;

  private final BulkloadInput input;
  private boolean atEnd;

  LoadedMessages(BulkloadInput input) {
    super(BLOCK);
    this.input = input;
  }

  @Override
  boolean refill() {
    int count = 0;
    while (count < BLOCK && !atEnd) {
      if (!input.next()) {
        atEnd = true; // Asked once more, a source may begin anew.
        break;
      }
      keys[count] = input.key();
      values[count] = input.value();
      count++;
    }
    return begin(count, true);
  }
}
