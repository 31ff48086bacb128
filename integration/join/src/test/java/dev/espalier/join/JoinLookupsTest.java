// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cola.Cola;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The join looks each key up once, whether it is there or not, and whatever its value is. */
final class JoinLookupsTest {
  private static final int ROWS = 3000;
  private static final long MISSING = IndexOptions.DEFAULT.missingValue();

  private final Map<String, Integer> calls = new TreeMap<>();

  /** Returns an index that counts the calls of its methods by their names. */
  private LongIndex counting(LongIndex index) {
    return (LongIndex)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {LongIndex.class},
            (_, method, arguments) -> {
              calls.merge(method.getName(), 1, Integer::sum);
              try {
                return method.invoke(index, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  /** Fills an index with every other key; of these every other has the missing value. */
  private static LongIndex filled(LongIndex index) {
    for (long key = 0; key < ROWS; key += 2) {
      index.put(key, key % 4 == 0 ? MISSING : key);
    }
    return index;
  }

  @ParameterizedTest
  @EnumSource
  void noKeyIsLookedUpTwice(ProbeMethod method) {
    for (boolean isLocked : new boolean[] {false, true}) {
      for (boolean inOrder : new boolean[] {false, true}) {
        for (LongIndex index :
            List.of(PbPlusTree.create(IndexOptions.DEFAULT), Cola.create(IndexOptions.DEFAULT))) {
          try (index) {
            filled(index);
            boolean needsLookup = method != ProbeMethod.SINGLE && method != ProbeMethod.AUTO;
            if (!isLocked || !needsLookup) {
              join(isLocked ? index.withReadWriteLock() : index, method, inOrder);
            }
          }
        }
      }
    }
  }

  private void join(LongIndex index, ProbeMethod method, boolean inOrder) {
    long[] keys = new long[ROWS];
    for (int i = 0; i < ROWS; i++) {
      keys[i] = (i * 7L) % ROWS;
    }
    for (JoinType type : JoinType.values()) {
      calls.clear();
      int matched = 0;
      JoinOptions options = new JoinOptions(type, method, 1000, inOrder, null);
      try (var join =
          new IndexNestedLoopJoin(OuterSource.of(keys, keys), counting(index), options)) {
        join.open();
        while (join.next()) {
          JoinBatch batch = join.batch();
          for (int row = 0; row < batch.count(); row++) {
            assertEquals(batch.key(row) % 2 == 0, batch.isMatched(row));
            matched += batch.isMatched(row) ? 1 : 0;
          }
        }
      }
      assertEquals(type == JoinType.ANTI ? 0 : ROWS / 2, matched);
      boolean onlyAsks = method == ProbeMethod.SINGLE && !type.hasInnerValues();
      assertEquals(onlyAsks ? ROWS : 0, calls.getOrDefault("containsKey", 0), type.toString());
      assertEquals(0, calls.getOrDefault("get", 0));
    }
  }
}
