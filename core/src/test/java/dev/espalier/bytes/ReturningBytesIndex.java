// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

/** Wrong in one way: its cursors are on an entry that they removed once its key has one again. */
final class ReturningBytesIndex extends HeapBytesIndex {
  ReturningBytesIndex(long limit) {
    super(limit);
  }

  @Override
  public BytesCursor cursor() {
    checkOpen();
    return new HeapBytesCursor(entries, this) {
      @Override
      public void remove() {
        delete(keyArray());
      }
    };
  }
}
