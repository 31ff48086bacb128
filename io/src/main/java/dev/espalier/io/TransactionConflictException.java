// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A transaction could not commit, because somebody else has changed what it has written or, if it
 * is {@linkplain Isolation#SERIALIZABLE serializable}, read. It has changed nothing and is over;
 * the same work may succeed in a new one. {@link IndexStore#transact} repeats it.
 */
public final class TransactionConflictException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Bytes of a key that are shown: enough to recognize it by, in a message of one line. */
  private static final int MOST_SHOWN = 32;

  private final String index;
  private final long key;
  private final byte @Nullable [] keyBytes;

  TransactionConflictException(String index, long key, String what) {
    this(index, what, "" + key, key, null);
  }

  TransactionConflictException(String index, byte[] key, String what) {
    this(index, what, shown(key), 0, key.clone());
  }

  private TransactionConflictException(
      String index, String what, String shown, long key, byte @Nullable [] keyBytes) {
    super(
        "the transaction has %s key %s of index '%s', which was changed after it had begun"
            .formatted(what, shown, index));
    this.index = index;
    this.key = key;
    this.keyBytes = keyBytes;
  }

  private static String shown(byte[] key) {
    int most = Math.min(key.length, MOST_SHOWN);
    String digits = "0x" + HexFormat.of().formatHex(key, 0, most);
    return most == key.length ? digits : "%s... of %d bytes".formatted(digits, key.length);
  }

  /** Returns the name of the index. */
  public String index() {
    return index;
  }

  /** Returns the first key that was found changed; 0 if the index has byte strings. */
  public long key() {
    return key;
  }

  /** Returns the first key that was found changed; null if the index has longs. */
  public byte @Nullable [] keyBytes() {
    return keyBytes == null ? null : keyBytes.clone();
  }
}
