// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.memory.MemoryLimitException;
import java.util.function.BooleanSupplier;

/**
 * Writes to single keys of an index of longs, each of which is a record of the log. One that its
 * tree refuses for want of pages is made once again after a checkpoint, if that may give some back.
 */
final class SingleWrites {
  private final StoreWriter writer;
  private final StoreIndex index;
  private final LongIndex tree;
  private final IndexLocks locks;

  SingleWrites(StoreWriter writer, StoreIndex index) {
    this.writer = writer;
    this.index = index;
    this.tree = index.tree();
    this.locks = index.locks();
  }

  long put(long key, long value) {
    for (int refusals = 0; ; refusals++) {
      try {
        return putOnce(key, value);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private long putOnce(long key, long value) {
    long before;
    long sequence;
    IndexLock[] held = locks.of(key);
    writer.beginSet(index, held, key);
    try {
      before = tree.put(key, value);
      sequence = index.appendSet(held, key, value);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return before;
  }

  void set(long key, long value) {
    for (int refusals = 0; ; refusals++) {
      try {
        setOnce(key, value);
        return;
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private void setOnce(long key, long value) {
    long sequence;
    IndexLock[] held = locks.of(key);
    writer.beginSet(index, held, key);
    try {
      tree.set(key, value);
      sequence = index.appendSet(held, key, value);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
  }

  long putIfAbsent(long key, long value) {
    for (int refusals = 0; ; refusals++) {
      try {
        return putIfAbsentOnce(key, value);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private long putIfAbsentOnce(long key, long value) {
    long sequence;
    IndexLock[] held = locks.of(key);
    writer.beginSet(index, held, key);
    try {
      if (tree.containsKey(key)) {
        return tree.get(key);
      }
      tree.set(key, value);
      sequence = index.appendSet(held, key, value);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return tree.missingValue();
  }

  /** Makes a change that stores a value for a key, unless it says that it did not. */
  boolean setIf(long key, long value, BooleanSupplier change) {
    for (int refusals = 0; ; refusals++) {
      try {
        return setIfOnce(key, value, change);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private boolean setIfOnce(long key, long value, BooleanSupplier change) {
    long sequence;
    IndexLock[] held = locks.of(key);
    writer.beginSet(index, held, key);
    try {
      if (!change.getAsBoolean()) {
        return false;
      }
      sequence = index.appendSet(held, key, value);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return true;
  }

  boolean remove(long key, long expected) {
    for (int refusals = 0; ; refusals++) {
      try {
        return removeOnce(key, expected);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private boolean removeOnce(long key, long expected) {
    long sequence;
    IndexLock[] held = locks.of(key);
    writer.beginRemoval(index, held, key);
    try {
      if (!tree.remove(key, expected)) {
        return false;
      }
      sequence = index.appendDelete(held, key);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return true;
  }

  long remove(long key) {
    for (int refusals = 0; ; refusals++) {
      try {
        return removeOnce(key);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private long removeOnce(long key) {
    long before;
    long sequence;
    IndexLock[] held = locks.of(key);
    writer.beginRemoval(index, held, key);
    try {
      before = tree.remove(key);
      sequence = index.appendDelete(held, key);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return before;
  }

  void delete(long key) {
    for (int refusals = 0; ; refusals++) {
      try {
        deleteOnce(key);
        return;
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private void deleteOnce(long key) {
    long sequence;
    IndexLock[] held = locks.of(key);
    writer.beginRemoval(index, held, key);
    try {
      tree.delete(key);
      sequence = index.appendDelete(held, key);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
  }
}
