// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesShape;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;

/**
 * An index of byte strings in a transaction that nobody else sees. It was empty as the transaction
 * began. Since then others have written to it, before and while it is used.
 */
final class TransactionShape {
  private static final byte[] BYTES = {0, 1, 'a', (byte) 0xff};
  private static final int LONG_VALUE = 70_000;

  private final IndexStore store;
  private final BytesIndex others;
  private final Transaction transaction;
  private final BytesIndex own;
  private final SplittableRandom random = new SplittableRandom(1);

  private TransactionShape() {
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false);
    store = new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open();
    others = store.bytesIndex("a");
    transaction = store.begin(Isolation.SERIALIZABLE);
    own = transaction.bytesIndex("a");
    for (int i = 0; i < 50; i++) {
      write();
    }
  }

  static BytesShape shape() {
    return new BytesShape(
        "in a transaction", _ -> new TransactionShape().index(), BytesShape.NO_LIMIT, 1);
  }

  /** Has others write. */
  private void write() {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = BYTES[random.nextInt(BYTES.length)];
    }
    if (random.nextInt(3) == 0) {
      others.delete(key);
    } else {
      others.set(key, new byte[random.nextInt(20) == 0 ? LONG_VALUE : random.nextInt(40)]);
    }
  }

  private BytesIndex index() {
    return (BytesIndex)
        Proxy.newProxyInstance(
            TransactionShape.class.getClassLoader(),
            new Class<?>[] {BytesIndex.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "withReadWriteLock" -> proxy;
                  case "bulkload" -> {
                    load(
                        (BytesEntrySource) arguments[0],
                        (Double) arguments[1],
                        (Long) arguments[2],
                        (ProgressListener) arguments[3]);
                    yield null;
                  }
                  case "verify", "statistics", "rootView", "flush" -> {
                    own.isEmpty();
                    yield null;
                  }
                  case "close" -> {
                    synchronized (store) { // As below.
                      transaction.close();
                    }
                    store.close();
                    yield null;
                  }
                  default -> {
                    if (!own.isClosed() && random.nextInt(100) == 0) {
                      write();
                    }
                    yield alone(own, method, arguments);
                  }
                });
  }

  /** Calls an index or a cursor: a transaction is for one thread at a time, and so are both. */
  private Object alone(Object receiver, Method method, Object[] arguments) throws Throwable {
    Object result;
    synchronized (store) {
      try {
        result = method.invoke(receiver, arguments);
      } catch (InvocationTargetException failed) {
        throw failed.getCause();
      }
    }
    return result instanceof BytesCursor cursor
        ? Proxy.newProxyInstance(
            TransactionShape.class.getClassLoader(),
            new Class<?>[] {BytesCursor.class},
            (_, called, given) -> alone(cursor, called, given))
        : result;
  }

  /** Loads what a tree takes. */
  private void load(
      BytesEntrySource source, double fillFactor, long total, ProgressListener listener) {
    try (ConcurrentPrefixBPlusTree tree = ConcurrentPrefixBPlusTree.create(IndexOptions.DEFAULT)) {
      if (!own.isEmpty()) {
        tree.set(new byte[0], new byte[0]); // so that it refuses the load, too
      }
      tree.bulkload(source, fillFactor, total, listener);
      BytesCursor cursor = tree.cursor();
      while (cursor.next()) {
        own.set(cursor.keyArray(), cursor.valueArray());
      }
    }
  }
}
