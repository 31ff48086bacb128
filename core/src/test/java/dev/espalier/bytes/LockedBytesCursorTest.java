// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.reflect.Proxy;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scans behind a lock, which copy entries ahead and have to find them again. */
class LockedBytesCursorTest {
  private static final int KEYS = 100;

  private final PrefixBPlusTree tree = PrefixBPlusTree.create(IndexOptions.DEFAULT, 512);

  @BeforeEach
  void fill() {
    for (int i = 0; i < KEYS; i++) {
      tree.set(new byte[] {(byte) i}, new byte[] {1});
    }
  }

  @AfterEach
  void close() {
    tree.close();
  }

  private BytesCursor behindALock(BytesCursor cursor) {
    return new LockedBytesCursor(new LockedBytesIndex(tree, new ReentrantReadWriteLock()), cursor);
  }

  /** Returns a cursor whose searches for what is behind a key lead to the second key of all. */
  private BytesCursor thatIsLedBack() {
    BytesCursor cursor = tree.cursor();
    return (BytesCursor)
        Proxy.newProxyInstance(
            BytesCursor.class.getClassLoader(),
            new Class<?>[] {BytesCursor.class},
            (_, method, arguments) ->
                method.getName().equals("higher")
                    ? cursor.first() && cursor.next()
                    : method.invoke(cursor, arguments));
  }

  private static int scan(BytesCursor cursor) {
    int steps = 0;
    while (steps <= 3 * KEYS && cursor.next()) {
      steps++;
    }
    return steps;
  }

  @Test
  void scanGoesToTheEndAndBeginsAnew() {
    BytesCursor cursor = behindALock(tree.cursor());
    assertEquals(KEYS, scan(cursor));
    assertEquals(KEYS, scan(cursor));
    assertTrue(cursor.last());
    assertFalse(cursor.next());
  }

  @Test
  void scanThatIsLedBackIsRefused() {
    BytesCursor cursor = behindALock(thatIsLedBack());
    var refused = assertThrows(ConcurrentModificationException.class, () -> scan(cursor));
    assertTrue(String.valueOf(refused.getMessage()).startsWith("keys are out of order"));
  }
}
