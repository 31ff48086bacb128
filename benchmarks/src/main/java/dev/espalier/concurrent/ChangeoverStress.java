// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.espalier.LongIndex;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Readers of a {@link SwappableIndex} at the moment of the changeover. */
public final class ChangeoverStress {
  private ChangeoverStress() {}

  /** Counts how often it is closed. */
  @SuppressWarnings("ReferenceEquality") // An index is only ever itself.
  static final class CountedIndex {
    final AtomicInteger closes = new AtomicInteger();
    final LongIndex index =
        (LongIndex)
            Proxy.newProxyInstance(
                LongIndex.class.getClassLoader(),
                new Class<?>[] {LongIndex.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "close" -> {
                        closes.incrementAndGet();
                        yield null;
                      }
                      case "isClosed" -> closes.get() > 0;
                      case "equals" -> proxy == arguments[0];
                      default -> throw new UnsupportedOperationException(method.toString());
                    });
  }

  /** Nobody's lease is of a closed index, and the old one is closed once. */
  @JCStressTest
  @Outcome(
      id = {"0, 1, 0"},
      expect = ACCEPTABLE,
      desc = "open while it was leased; the first is closed once, the next is not")
  @Outcome(expect = FORBIDDEN, desc = "closed while it was leased, or not closed once")
  @State
  public static class Changeover {
    private final CountedIndex first = new CountedIndex();
    private final CountedIndex next = new CountedIndex();
    private final SwappableIndex<LongIndex> index = SwappableIndex.of(first.index);

    @Actor
    public void swap() {
      index.swap(next.index);
    }

    @Actor
    public void read(III_Result result) {
      try (SwappableIndex.Lease<LongIndex> lease = index.lease()) {
        result.r1 = lease.index().isClosed() ? 1 : 0;
      }
    }

    @Arbiter
    public void count(III_Result result) {
      result.r2 = first.closes.get();
      result.r3 = next.closes.get();
    }
  }

  /** The fault: a reader looks whether there are users, and then counts itself. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "open while it was leased, or already left")
  @Outcome(
      id = "1",
      expect = ACCEPTABLE_INTERESTING,
      desc = "the fault: closed while it was leased")
  @State
  public static class FaultEnterInTwoSteps {
    private final AtomicInteger users = new AtomicInteger(1);
    private volatile boolean isClosed;

    @Actor
    public void leave() {
      if (users.decrementAndGet() == 0) {
        isClosed = true;
      }
    }

    @Actor
    public void read(I_Result result) {
      if (users.get() > 0) {
        users.incrementAndGet();
        result.r1 = isClosed ? 1 : 0;
      }
    }
  }
}
