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
import org.jspecify.annotations.Nullable;

/**
 * How an index looks up many keys: one by one, in groups whose cache misses overlap, sorted, or
 * buffered. Which is cheapest depends on how many there are, on the size of the tree and of the
 * caches, and on the order of the keys (buffering paper, 6.6); {@link LongIndex#getAll} asks {@link
 * #choose}. Any method gives the same values.
 *
 * <p>Sorted and buffered lookups need memory while they run: up to 100 MB beside the keys.
 *
 * <p>Any number of threads may use it while nobody changes the index.
 */
public final class BatchLookup implements LongBatchLookup {
  /** Below this, what a group costs to set up is not paid back. */
  private static final int LEAST_GROUP = 4;

  /** Below this nothing but groups is considered. */
  private static final int LEAST_BUFFERED = 4096;

  /** What is only computed must promise so much less than groups cost to be believed. */
  private static final double COMPUTED_MARGIN = 0.8;

  /** Probes between two divisions of the whole: more gain little, and take memory. */
  static final int ROUND = 1 << 22;

  /** Keys whose places are written before they are looked up, so that both stay in the cache. */
  private static final int STEP = 1024;

  /** Neighbours that are compared to tell whether keys are sorted. */
  private static final int ORDER_SAMPLE = 64;

  private static final ProbeChoice FEW =
      new ProbeChoice(ProbeMethod.SINGLE, "fewer than " + LEAST_GROUP + " keys");
  private static final ProbeChoice SOME =
      new ProbeChoice(ProbeMethod.GROUP, "fewer than " + LEAST_BUFFERED + " keys");
  private static final ProbeChoice READ =
      new ProbeChoice(ProbeMethod.GROUP, "pages of a file are read many at once");
  private static final ProbeChoice ASCENDING =
      new ProbeChoice(ProbeMethod.GROUP, "the keys are in ascending order already");

  private final LongIndex index;
  private final TreeLevels tree;
  private volatile @Nullable Known known;
  private @Nullable ProbeChoice lastChoice;

  /** What is known of the index's costs, while it had so many entries. */
  private static final class Known {
    final ProbeCosts costs;
    final long entries;
    final int height;

    /** By the binary logarithm of the number of keys. */
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
        choice = choose(costs, 1 << log);
        choices[log] = choice;
      }
      return choice;
    }
  }

  /**
   * Returns the lookup of an index.
   *
   * @throws UnsupportedOperationException if this is an index behind a lock, which would not be
   *     held between two calls
   */
  public static BatchLookup of(LongIndex index) {
    if (index.batchLookup() instanceof BatchLookup lookup) {
      return lookup;
    }
    throw new UnsupportedOperationException(index.variant().name() + " has a lookup of its own");
  }

  /** Creates the lookup for an index; each tree creates its own. */
  public BatchLookup(LongIndex index, TreeLevels tree) {
    this.index = index;
    this.tree = tree;
  }

  /** Returns the levels through which probes go down. */
  public TreeLevels levels() {
    return tree;
  }

  // ---------------------------------------------------------------- choice

  /**
   * Returns the method that {@link ProbeMethod#AUTO} takes for so many keys in random order: the
   * same from each power of two to the next.
   */
  public ProbeChoice choose(int count) {
    if (count < LEAST_GROUP) {
      return FEW;
    }
    if (count < LEAST_BUFFERED) {
      return SOME;
    }
    if (tree.readsPages()) {
      return READ;
    }
    return known().choice(count);
  }

  private static ProbeChoice choose(ProbeCosts costs, int count) {
    double margin = costs.corrections().measured() ? 1 : COMPUTED_MARGIN;
    ProbeMethod best = ProbeMethod.GROUP;
    double least = margin * costs.nanos(best, count);
    for (ProbeMethod method : new ProbeMethod[] {ProbeMethod.SORTED, ProbeMethod.BUFFERED}) {
      double nanos = costs.nanos(method, count);
      if (nanos < least) {
        best = method;
        least = nanos;
      }
    }
    return new ProbeChoice(best, reason(costs, count));
  }

  private static String reason(ProbeCosts costs, int count) {
    return "%s for %d keys and more: single %.0f ns, group %.0f ns, sorted %.0f ns, buffered %s %.0f ns a key"
        .formatted(
            costs.corrections().measured() ? "measured" : "computed",
            count,
            costs.nanos(ProbeMethod.SINGLE, count),
            costs.nanos(ProbeMethod.GROUP, count),
            costs.nanos(ProbeMethod.SORTED, count),
            costs.nodes(),
            costs.nanos(ProbeMethod.BUFFERED, count));
  }

  /** Returns what AUTO chose last, if it had to; of several threads, any one's. */
  public Optional<ProbeChoice> lastChoice() {
    return Optional.ofNullable(lastChoice);
  }

  /** Returns what a probe costs by each method; computed unless {@link #calibrate} was called. */
  public ProbeCosts costs() {
    return known().costs;
  }

  private Known known() {
    Known now = known;
    long entries = index.sizeEstimate();
    int height = tree.height();
    if (now == null || now.height != height || differ(now.entries, entries)) {
      now = new Known(compute(), entries, height);
      known = now;
    }
    return now;
  }

  /** By a quarter: less does not move the break-even much. */
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
        ProbeCosts.Corrections.NONE);
  }

  /**
   * Measures the methods and several virtual nodes on a sample of keys (buffering paper, 5.3), and
   * decides by that from now on, until the tree's height or the number of entries by more than a
   * quarter has changed. It takes about a second, and up to three in a JVM that has just started,
   * as it waits until what it measures is compiled.
   */
  public ProbeCosts calibrate() {
    ProbeCosts measured = new Calibration(index, this, compute()).measure();
    known = new Known(measured, index.sizeEstimate(), tree.height());
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

  /** Looks up keys as {@link LongIndex#getAll}, by a method given. */
  public void getAll(
      ProbeMethod method, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    Objects.requireNonNull(method, "method");
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    lookUp(method, keys, keysFrom, values, valuesFrom, count, null);
  }

  /** Looks up keys and tells which are there, as {@link LongIndex#getAll}, by a method given. */
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
    int words = Bits.words(count);
    Arrays.fill(found, 0, words, 0);
    lookUp(method, keys, keysFrom, values, valuesFrom, count, found);
    return Bits.count(found, words);
  }

  @SuppressWarnings("ReferenceEquality") // asks whether both are the same array
  private void lookUp(
      ProbeMethod method,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found) {
    if (keys == values) {
      long[] copy = Arrays.copyOfRange(keys, keysFrom, keysFrom + count);
      lookUp(method, copy, 0, values, valuesFrom, count, found);
      return;
    }
    long root = tree.root(); // Refuses a closed index.
    switch (method) {
      case AUTO -> {
        ProbeChoice choice =
            count >= LEAST_BUFFERED && isAscending(keys, keysFrom, count)
                ? ASCENDING
                : choose(count);
        lastChoice = choice;
        lookUp(choice.method(), keys, keysFrom, values, valuesFrom, count, found);
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

  /** Only a group tells what it has found, so where that is asked, each key is one. */
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

  /** Puts the bits of some sorted probes where the probes were, and clears them. */
  private static void scatter(
      long[] bits, int count, int[] places, int placesFrom, long[] to, int first) {
    for (int i = 0; i < count; i++) {
      if (Bits.has(bits, i)) {
        Bits.add(to, first + places[placesFrom + i]);
      }
    }
    Arrays.fill(bits, 0);
  }

  /** Falls back to groups if there is no memory for buffers. */
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

  /** Puts every answer where its probe was. */
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
      throw new IllegalStateException("a lookup has no operations, but there is a tag " + tag);
    }
  }
}
