// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import dev.espalier.LongIndex;
import java.lang.foreign.MemorySegment;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;

class ArrowExample {
  // Shown:
  /** Looks up a vector of keys; the answer is null where the key is null or absent. */
  static BigIntVector lookUp(LongIndex index, BigIntVector keys, BufferAllocator allocator) {
    BigIntVector values = new BigIntVector("value", allocator);
    values.allocateNew(keys.getValueCount());
    values.setValueCount(keys.getValueCount());
    new LongLookup(index).getAll(column(keys), column(values));
    return values;
  }

  /** Returns the vector's own memory; it stays the vector's. */
  static LongColumn column(BigIntVector vector) {
    int rows = vector.getValueCount();
    return LongColumn.of(
        segment(vector.getDataBuffer(), rows * 8L),
        segment(vector.getValidityBuffer(), (rows + 7) / 8),
        rows);
  }

  static MemorySegment segment(ArrowBuf buffer, long bytes) {
    return MemorySegment.ofBuffer(buffer.nioBuffer(0, (int) bytes));
  }
}
