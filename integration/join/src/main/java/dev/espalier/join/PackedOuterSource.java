// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.bytes.PackedBytes;

/** The rows of a batch of keys and an array of payloads. */
final class PackedOuterSource implements BytesOuterSource {
  private final PackedBytes keys;
  private final long[] payloads;
  private int position;

  PackedOuterSource(PackedBytes keys, long[] payloads) {
    if (keys.count() != payloads.length) {
      throw new IllegalArgumentException(
          "keys and payloads differ in number: keys.count=%d, payloads.length=%d"
              .formatted(keys.count(), payloads.length));
    }
    this.keys = keys;
    this.payloads = payloads;
  }

  @Override
  public void open() {
    position = 0;
  }

  @Override
  public PackedBytes nextBatch(long[] batchPayloads) {
    int rows = Math.min(batchPayloads.length, payloads.length - position);
    System.arraycopy(payloads, position, batchPayloads, 0, rows);
    PackedBytes batch =
        new PackedBytes(
            keys.bytes(), keys.offsets().asSlice((long) position * Integer.BYTES), rows);
    position += rows;
    return batch;
  }

  @Override
  public void close() {}
}
