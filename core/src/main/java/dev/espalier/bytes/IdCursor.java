// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.tuple.TupleReader;
import dev.espalier.tuple.TupleWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A cursor over the ids of one key of a {@link SecondaryIndex} after another, for callers that look
 * up many keys, such as a join. For use by one thread at a time.
 */
public final class IdCursor {
  /** Follows a zero where the key goes on instead of ending: see {@link TupleWriter}. */
  private static final byte GOES_ON = (byte) 0xFF;

  private final BytesCursor cursor;

  /** What all entries of the key begin with. */
  private final TupleWriter start = new TupleWriter();

  private boolean isBeforeFirst;
  private boolean isOnEntry;

  IdCursor(BytesCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * Goes before the first id of a key. O(log_B n).
   *
   * @param encoded the key, as the index's codec encodes it
   * @throws IllegalStateException if the entries are closed; {@link #next} throws it too
   */
  public void seek(byte[] encoded) {
    start.clear().add(encoded);
    isOnEntry = cursor.ceiling(start.segment());
    isBeforeFirst = true;
  }

  /** Moves to the next id of the key, in ascending order; returns false if there is none. */
  public boolean next() {
    if (isOnEntry) {
      isOnEntry = (isBeforeFirst || cursor.next()) && isOfKey(cursor.key());
    }
    isBeforeFirst = false;
    return isOnEntry;
  }

  private boolean isOfKey(MemorySegment entry) {
    long bytes = start.size();
    return entry.byteSize() > bytes
        && MemorySegment.mismatch(entry, 0, bytes, start.segment(), 0, bytes) < 0
        && entry.get(ValueLayout.JAVA_BYTE, bytes) != GOES_ON;
  }

  /**
   * Returns the id.
   *
   * @throws IllegalStateException if the cursor is on no id
   */
  public long id() {
    if (!isOnEntry || isBeforeFirst) {
      throw new IllegalStateException("the cursor is on no id");
    }
    return new TupleReader(cursor.key().asSlice(start.size())).nextLong();
  }
}
