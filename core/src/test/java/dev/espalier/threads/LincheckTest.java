// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fault that was put in on purpose, which Lincheck must find. */
@Tag("thorough")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LincheckTest {

  /** Its conditional writes are the default ones of the interface: they look first, then write. */
  public static final class WritesInTwoSteps extends LincheckOperations {
    public WritesInTwoSteps() {
      super(inTwoSteps(ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 1))), 7);
    }

    private static LongIndex inTwoSteps(LongIndex index) {
      InvocationHandler handler =
          (proxy, method, arguments) ->
              method.isDefault()
                  ? InvocationHandler.invokeDefault(proxy, method, arguments)
                  : method.invoke(index, arguments);
      return (LongIndex)
          Proxy.newProxyInstance(
              LongIndex.class.getClassLoader(), new Class<?>[] {LongIndex.class}, handler);
    }
  }

  @Test
  void writesInTwoStepsAreFound() throws Exception {
    String fault = Lincheck.fault(WritesInTwoSteps.class, LongStream.range(0, 200).toArray(), 500);
    assertTrue(fault.contains("Invalid execution results"), fault);
  }
}
