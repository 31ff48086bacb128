// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/** The rows of two parallel arrays. */
final class ArrayOuterSource implements OuterSource {
  private final long[] keys;
  private final long[] payloads;
  private int position;

  ArrayOuterSource(long[] keys, long[] payloads) {
    if (keys.length != payloads.length) {
      throw new IllegalArgumentException(
          "keys and payloads differ in length: keys.length=%d, payloads.length=%d"
              .formatted(keys.length, payloads.length));
    }
    this.keys = keys;
    this.payloads = payloads;
  }

  @Override
  public void open() {
    position = 0;
  }

  @Override
  public int nextBatch(long[] batchKeys, long[] batchPayloads) {
    int rows = Math.min(batchKeys.length, keys.length - position);
    System.arraycopy(keys, position, batchKeys, 0, rows);
    System.arraycopy(payloads, position, batchPayloads, 0, rows);
    position += rows;
    return rows;
  }

  @Override
  public void close() {}
}
