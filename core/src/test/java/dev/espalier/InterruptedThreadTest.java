// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Trees in memory, called by a thread whose interrupt status is set. */
@Tag("fallback-too")
final class InterruptedThreadTest {
  private static LongIndex filled(LongIndex index) {
    for (long key = 0; key < 500; key++) {
      index.set(key, key);
    }
    return index;
  }

  private static void checkLongs(Supplier<LongIndex> made) throws Exception {
    InterruptedCalls.eachMethod(
        LongIndex.class,
        () -> filled(made.get()),
        _ -> null,
        (index, method) -> {
          if (!method.getName().equals("close")) {
            index.verify();
          }
          index.close();
        });
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void everyCallOfATreeAnswersAsWithoutTheStatus(TreeShape shape) throws Exception {
    checkLongs(() -> shape.create(IndexOptions.DEFAULT));
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void everyCallOfATreeBehindALockAnswersAsWithoutTheStatus(TreeShape shape) throws Exception {
    checkLongs(() -> shape.create(IndexOptions.DEFAULT).withReadWriteLock());
  }

  @Test
  void everyCallOfAnIndexOfByteStringsAnswersAsWithoutTheStatus() throws Exception {
    InterruptedCalls.eachMethod(
        BytesIndex.class,
        () -> {
          BytesIndex index = PrefixBPlusTree.create();
          for (byte i = 0; i < 100; i++) {
            index.set(new byte[] {1, i}, new byte[] {i});
          }
          return index;
        },
        _ -> null,
        (index, _) -> index.close());
  }
}
