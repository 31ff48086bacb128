// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongBatchLookup;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.model.MemoryTimes;
import dev.espalier.node.Bits;
import dev.espalier.support.BatchArguments;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks up many keys of an index: one by one, in groups whose cache misses overlap, sorted, or
 * buffered. Which method is fastest depends on the number of keys, their order, and the sizes of
 * the tree and the caches (buffering paper, 6.6). {@link LongIndex#getAll} leaves the choice to
 * {@link #choose}. All methods return the same values.
 *
 * <p>While they run, sorted and buffered lookups need up to 100 MB of memory in addition to the
 * arrays.
 *
 * <p>Any number of threads may use it, as long as none changes the index, unless the index is one
 * that many threads may write, or the lookup is one {@linkplain #behind behind a lock}.
 */
public final class BatchLookup implements LongBatchLookup {
  /** With fewer keys, only groups are considered. */
  private static final int LEAST_BUFFERED = 4096;

  /** Computed times are trusted only if they are below this share of the time of groups. */
  private static final double COMPUTED_MARGIN = 0.8;

  /**
   * The most probes that are sorted or buffered together: more would gain little and need more
   * memory.
   */
  static final int ROUND = 1 << 22;

  /** Keys looked up at a time: few enough for keys and places to stay in the cache. */
  private static final int STEP = 1024;

  /** Pairs of neighbours compared to tell whether keys are sorted. */
  private static final int ORDER_SAMPLE = 64;

  private static final ProbeChoice FEW =
      new ProbeChoice(ProbeMethod.SINGLE, "too few keys for a group");
  private static final ProbeChoice SOME =
      new ProbeChoice(ProbeMethod.GROUP, "fewer than " + LEAST_BUFFERED + " keys");
  private static final ProbeChoice READ =
      new ProbeChoice(ProbeMethod.GROUP, "pages of a file are read many at once");
  private static final ProbeChoice ASCENDING =
      new ProbeChoice(ProbeMethod.GROUP, "the keys are in ascending order already");

  /** Says what a lookup is to throw that has failed as none should. */
  @FunctionalInterface
  public interface FailureSeam {
    /**
     * Returns what to throw.
     *
     * @param failed what the call has thrown
     * @param again makes the call or a part of it once more, without a lock: whoever runs it sees
     *     to it that nobody writes
     */
    RuntimeException toThrow(RuntimeException failed, Runnable again);
  }

  private final LongIndex index;
  private final TreeLevels tree;
  private final @Nullable Lock lock;
  private final FailureSeam failures;
  private final Memory memory;

  /** What lookups of one index leave for the next ones. */
  private static final class Memory {
    volatile @Nullable Known known;
    @Nullable ProbeChoice lastChoice;
  }

  /** The costs of the index, valid as long as it has about this many entries. */
  private static final class Known {
    final ProbeCosts costs;
    final long entries;
    final int height;

    /** Choices by the binary logarithm of the number of keys. */
    private final @Nullable ProbeChoice[] choices = new ProbeChoice[Integer.SIZE];

    Known(ProbeCosts costs, long entries, int height) {
      this.costs = costs;
      this.entries = entries;
      this.height = height;
    }

    ProbeChoice choice(int count) {
      int log = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(count);
      ProbeChoice choice = choices[log];
      if (choice == null) {
        choice = choose(costs, 1L << log);
        choices[log] = choice;
      }
      return choice;
    }
  }

  /**
   * Returns the batch lookup of an index.
   *
   * @throws UnsupportedOperationException if the index is behind a lock, or does not use this class
   */
  public static BatchLookup of(LongIndex index) {
    if (index.batchLookup() instanceof BatchLookup lookup) {
      return lookup;
    }
    throw new UnsupportedOperationException(
        index.variant().name() + " does not use the batch lookup of the family");
  }

  /**
   * Creates the lookup for an index. Called by the constructor of each tree.
   *
   * @param tree the levels of the index
   */
  public BatchLookup(LongIndex index, TreeLevels tree) {
    this(index, tree, null, (failed, _) -> failed, new Memory());
  }

  private BatchLookup(
      LongIndex index, TreeLevels tree, @Nullable Lock lock, FailureSeam failures, Memory memory) {
    this.index = index;
    this.tree = tree;
    this.lock = lock;
    this.failures = failures;
    this.memory = memory;
  }

  /**
   * Returns the same lookup for use beside writers: each of its methods but {@link #levels} holds a
   * lock. Costs and choices are those of both.
   *
   * @param lock the lock that writers keep readers out by
   */
  public BatchLookup behind(Lock lock) {
    return new BatchLookup(index, tree, lock, failures, memory);
  }

  /**
   * Returns a lookup that differs from this one in what its methods throw: for an index that wraps
   * a tree. Costs and choices are those of both.
   */
  public BatchLookup withFailures(FailureSeam seam) {
    return new BatchLookup(index, tree, lock, seam, memory);
  }

  private void begin() {
    if (lock != null) {
      lock.lock();
    }
  }

  private void end() {
    if (lock != null) {
      lock.unlock();
    }
  }

  /**
   * Returns the levels of the index, through which probes descend. They take no lock: nobody may
   * write meanwhile, unless the index is one that many threads may write.
   */
  public TreeLevels levels() {
    return tree;
  }

  // ---------------------------------------------------------------- choice

  /**
   * Returns the method that {@link ProbeMethod#AUTO} uses for {@code count} keys in random order.
   * It is the same for all counts from one power of two up to the next.
   */
  public ProbeChoice choose(int count) {
    return orTell(() -> chooseNow(count));
  }

  private ProbeChoice chooseNow(int count) {
    if (count < leastGroup()) {
      return FEW;
    }
    if (count < LEAST_BUFFERED) {
      return SOME;
    }
    return tree.readsPages() ? READ : known().choice(count);
  }

  private int leastGroup() {
    Known now = memory.known;
    MeasuredCosts measured = now == null ? null : now.costs.measured();
    return measured == null ? tree.leastGroup() : measured.leastGroup();
  }

  /**
   * Chooses a method for counts from a given one up to twice that, by the costs halfway between.
   */
  private static ProbeChoice choose(ProbeCosts costs, long from) {
    long count = from + from / 2;
    double margin = costs.measured() != null ? 1 : COMPUTED_MARGIN;
    ProbeMethod best = ProbeMethod.GROUP;
    double least = margin * costs.nanos(best, count);
    for (ProbeMethod method : new ProbeMethod[] {ProbeMethod.SORTED, ProbeMethod.BUFFERED}) {
      double nanos = costs.nanos(method, count);
      if (nanos < least) {
        best = method;
        least = nanos;
      }
    }
    return new ProbeChoice(best, reason(costs, from, count));
  }

  private static String reason(ProbeCosts costs, long from, long count) {
    return "%s for %d keys and more: single %.0f ns, group %.0f ns, sorted %.0f ns, buffered %s %.0f ns a key"
        .formatted(
            costs.measured() != null ? "measured" : "computed",
            from,
            costs.nanos(ProbeMethod.SINGLE, count),
            costs.nanos(ProbeMethod.GROUP, count),
            costs.nanos(ProbeMethod.SORTED, count),
            costs.nodes(),
            costs.nanos(ProbeMethod.BUFFERED, count));
  }

  /**
   * Returns the last choice of {@link ProbeMethod#AUTO}, if there was one. If several threads look
   * up keys, the choice may be that of any of them.
   */
  public Optional<ProbeChoice> lastChoice() {
    return Optional.ofNullable(memory.lastChoice);
  }

  /**
   * Returns what a probe costs by each method: computed, or measured if {@link #calibrate} was
   * called.
   */
  public ProbeCosts costs() {
    return orTell(() -> known().costs);
  }

  private <T> T orTell(Supplier<T> asked) {
    return orTell(
        asked,
        () -> {
          var _ = asked.get();
        });
  }

  /**
   * Returns an answer about the tree, computed with the lock held.
   *
   * @param again what fails if pages lie, as the answer has failed
   */
  private <T> T orTell(Supplier<T> asked, Runnable again) {
    try {
      begin();
      try {
        return asked.get();
      } finally {
        end();
      }
    } catch (RuntimeException failed) {
      throw failures.toThrow(failed, again);
    }
  }

  private Known known() {
    Known now = memory.known;
    long entries = index.sizeEstimate();
    int height = tree.height();
    if (now == null || now.height != height || differ(now.entries, entries)) {
      now = new Known(compute(), entries, height);
      memory.known = now;
    }
    return now;
  }

  /**
   * Returns whether the numbers differ by more than a quarter: smaller differences hardly move the
   * break-even point.
   */
  private static boolean differ(long before, long entries) {
    return Math.abs(entries - before) > before / 4;
  }

  private ProbeCosts compute() {
    CacheAnalysis shape = CacheAnalysis.of(index);
    boolean prefetches = index.variant().capabilities().contains(Capability.BATCHED_LOOKUP);
    return new ProbeCosts(
        shape,
        MemoryTimes.ofThisMachine(),
        prefetches,
        shape.virtualNodesOfThisMachine(prefetches),
        null);
  }

  /**
   * Measures the methods, with several choices of virtual nodes, on a sample of keys (buffering
   * paper, 5.3). Later choices are based on the result, until the tree's height changes or its
   * number of entries changes by more than a quarter. Takes about three seconds, and up to six in a
   * JVM that has just started, because the code has to be compiled first, and 64 MB of the heap.
   *
   * @return the measured costs
   */
  public ProbeCosts calibrate() {
    return orTell(() -> calibrateNow(new Calibration.Lookups(index, this)), this::compute);
  }

  /** Does the same as {@link #calibrate()}, with times from elsewhere. */
  ProbeCosts calibrate(Stopwatch stopwatch) {
    return orTell(() -> calibrateNow(stopwatch), this::compute);
  }

  private ProbeCosts calibrateNow(Stopwatch stopwatch) {
    ProbeCosts measured = new Calibration(compute(), stopwatch).measure();
    memory.known = new Known(measured, index.sizeEstimate(), tree.height());
    return measured;
  }

  // ---------------------------------------------------------------- lookup

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    getAll(ProbeMethod.AUTO, keys, keysFrom, values, valuesFrom, count);
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    return getAll(ProbeMethod.AUTO, keys, keysFrom, values, valuesFrom, count, found);
  }

  /**
   * Looks up keys as {@link LongIndex#getAll(long[], int, long[], int, int)} does, by the given
   * method.
   */
  public void getAll(
      ProbeMethod method, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    Objects.requireNonNull(method, "method");
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    lookUpOrTell(method, keys, keysFrom, values, valuesFrom, count, null);
  }

  /**
   * Looks up keys and reports which are present, as {@link LongIndex#getAll(long[], int, long[],
   * int, int, long[])} does, by the given method.
   */
  public int getAll(
      ProbeMethod method,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long[] found) {
    Objects.requireNonNull(method, "method");
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    BatchArguments.checkFound(found, count);
    lookUpOrTell(method, keys, keysFrom, values, valuesFrom, count, found);
    return Bits.count(found, Bits.words(count));
  }

  private void lookUpOrTell(
      ProbeMethod method,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found) {
    try {
      lookUp(method, keys, keysFrom, values, valuesFrom, count, found);
    } catch (RuntimeException failed) {
      throw failures.toThrow(
          failed, () -> lookUpNow(method, keys, keysFrom, values, valuesFrom, count, found));
    }
  }

  private void lookUp(
      ProbeMethod method,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found) {
    begin();
    try {
      lookUpNow(method, keys, keysFrom, values, valuesFrom, count, found);
    } finally {
      end();
    }
  }

  @SuppressWarnings("ReferenceEquality") // asks whether both are the same array
  private void lookUpNow(
      ProbeMethod method,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found) {
    if (keys == values) {
      long[] copy = Arrays.copyOfRange(keys, keysFrom, keysFrom + count);
      lookUpNow(method, copy, 0, values, valuesFrom, count, found);
      return;
    }
    long root = tree.root(); // Refuses a closed index.
    if (found != null) {
      Arrays.fill(found, 0, Bits.words(count), 0);
    }
    switch (method) {
      case AUTO -> {
        ProbeChoice choice =
            count >= LEAST_BUFFERED && isAscending(keys, keysFrom, count)
                ? ASCENDING
                : chooseNow(count);
        memory.lastChoice = choice;
        lookUpNow(choice.method(), keys, keysFrom, values, valuesFrom, count, found);
      }
      case SINGLE -> single(keys, keysFrom, values, valuesFrom, count, root, found);
      case GROUP -> group(keys, keysFrom, values, valuesFrom, count, root, found, 0);
      case SORTED -> sorted(keys, keysFrom, values, valuesFrom, count, found);
      case BUFFERED -> buffered(costs().nodes(), keys, keysFrom, values, valuesFrom, count, found);
    }
  }

  private static boolean isAscending(long[] keys, int from, int count) {
    int step = Math.max(1, count / ORDER_SAMPLE);
    for (int i = from; i + 1 < from + count; i += step) {
      if (keys[i] > keys[i + 1]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Looks up keys one by one. Only group lookups report which keys they find; to report that, each
   * key is looked up as a group of one.
   */
  private void single(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long root,
      long @Nullable [] found) {
    if (found == null) {
      for (int i = 0; i < count; i++) {
        values[valuesFrom + i] = index.get(keys[keysFrom + i]);
      }
      return;
    }
    int top = tree.height() - 1;
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = root;
      tree.answer(top, keys, keysFrom + i, values, valuesFrom + i, 1, found, i);
    }
  }

  private void group(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long root,
      long @Nullable [] found,
      int foundFrom) {
    int top = tree.height() - 1;
    for (int done = 0; done < count; done += STEP) {
      int some = Math.min(STEP, count - done);
      Arrays.fill(values, valuesFrom + done, valuesFrom + done + some, root);
      tree.answer(
          top, keys, keysFrom + done, values, valuesFrom + done, some, found, foundFrom + done);
    }
  }

  private void sorted(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found) {
    int round = Math.min(count, ROUND);
    SortedProbes probes = new SortedProbes(round);
    long[] stepValues = new long[Math.min(count, STEP)];
    long[] stepFound = found == null ? null : new long[Bits.words(stepValues.length)];
    for (int done = 0; done < count; done += round) {
      int these = Math.min(round, count - done);
      probes.sort(keys, keysFrom + done, these);
      for (int from = 0; from < these; from += STEP) {
        int some = Math.min(STEP, these - from);
        group(probes.keys, from, stepValues, 0, some, tree.root(), stepFound, 0);
        for (int i = 0; i < some; i++) {
          values[valuesFrom + done + probes.places[from + i]] = stepValues[i];
        }
        if (found != null && stepFound != null) {
          scatter(stepFound, some, probes.places, from, found, done);
        }
      }
    }
  }

  /**
   * Moves the found bits of sorted probes to the original places of the probes, and clears them.
   */
  private static void scatter(
      long[] bits, int count, int[] places, int placesFrom, long[] to, int first) {
    for (int i = 0; i < count; i++) {
      if (Bits.has(bits, i)) {
        Bits.add(to, first + places[placesFrom + i]);
      }
    }
    Arrays.fill(bits, 0);
  }

  /** Looks up keys through buffers, or in groups if there is no memory for buffers. */
  void buffered(
      VirtualNodes nodes,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found) {
    int round = Math.min(count, ROUND);
    Scatter scatter = new Scatter(values, valuesFrom, found);
    VariableBuffers buffers;
    try {
      buffers = new VariableBuffers(tree, nodes, round, HugePages.WHEN_GROWN, scatter);
    } catch (MemoryLimitException refused) {
      group(keys, keysFrom, values, valuesFrom, count, tree.root(), found, 0);
      return;
    }
    try (buffers) {
      for (int done = 0; done < count; done += round) {
        for (int i = done; i < Math.min(done + round, count); i++) {
          buffers.add(keys[keysFrom + i], i);
        }
        buffers.flush();
      }
    }
  }

  /** Stores each answer at the place of its key. */
  private static final class Scatter implements AnswerSink {
    private final long[] to;
    private final int first;
    private final long @Nullable [] allFound;

    Scatter(long[] to, int first, long @Nullable [] allFound) {
      this.to = to;
      this.first = first;
      this.allFound = allFound;
    }

    @Override
    public void answered(long[] tags, long[] keys, long[] values, long[] found, int from, int end) {
      for (int i = from; i < end; i++) {
        to[first + (int) tags[i]] = values[i];
      }
      if (allFound != null) {
        for (int i = from; i < end; i++) {
          if (Bits.has(found, i)) {
            Bits.add(allFound, (int) tags[i]);
          }
        }
      }
    }

    @Override
    public void operate(long key, long tag) {
      throw new IllegalStateException("a lookup has no operations, but got tag " + tag);
    }
  }
}
