// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.ValueReader;
import dev.espalier.io.IndexVersions.Version;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Shows a value to a reader as a tree shows it, unless others have changed it since a transaction
 * began. Versions are looked at when the tree has read the entry, and before its first piece is
 * shown: so nothing is shown that does not count.
 */
final class SeenValue implements ValueReader {
  private final TransactionBytesIndex index;
  private final MemorySegment key;
  private final ValueReader reader;

  private boolean isLookedUp;
  private @Nullable Version<byte[], byte[]> version;

  SeenValue(TransactionBytesIndex index, MemorySegment key, ValueReader reader) {
    this.index = index;
    this.key = key;
    this.reader = reader;
  }

  @Override
  public void read(MemorySegment piece, long from, long bytes, long position, long total) {
    if (version() == null) {
      reader.read(piece, from, bytes, position, total);
    }
  }

  /** Returns what the key was if others have changed it; to be called when the tree was read. */
  @Nullable Version<byte[], byte[]> version() {
    if (!isLookedUp) {
      Seen<byte[], byte[]> seen = index.seen();
      version = seen.isChanged() ? seen.version(key.toArray(ValueLayout.JAVA_BYTE)) : null;
      isLookedUp = true;
      index.checkAlive();
    }
    return version;
  }

  /** Shows a value to a reader, if there is one; tells whether there is. */
  static boolean show(byte @Nullable [] value, ValueReader reader) {
    if (value == null) {
      return false;
    }
    reader.read(MemorySegment.ofArray(value).asReadOnly(), 0, value.length, 0, value.length);
    return true;
  }
}
