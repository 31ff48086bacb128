// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.Pollution;
import dev.espalier.benchmarks.Sums;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.benchmarks.peer.IndexPeer;
import dev.espalier.benchmarks.peer.Peer;
import dev.espalier.benchmarks.peer.PeerType;
import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.ffi.VirtualMemory;
import dev.espalier.memory.CacheLine;
import dev.espalier.prefetch.Prefetch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One structure in a JVM of its own. It takes the names of {@link Measure measures} on standard
 * input, one per line, and answers each by a line with one number; so {@link Ratios} can let
 * several workers measure in turn. Before the first it says {@value #READY}.
 *
 * <p>Every answer of a structure is checked, by sums, outside the measured time.
 */
final class RatioWorker {
  /** The first line, once the JVM is warm. */
  static final String READY = "ready";

  /** What is measured for the maps that Espalier's trees are compared with. */
  private static final Set<Measure> OF_ANY_MAP =
      EnumSet.of(Measure.PUT, Measure.LOAD, Measure.GET, Measure.GET_CHAINED, Measure.GET_ALL);

  private static final Set<Measure> OF_SORTED_MAPS =
      EnumSet.of(Measure.RANGE, Measure.SCAN_AFTER_PUT);

  /** Keys looked up per measurement, new ones each time. */
  private static final int PROBES = 1 << 20;

  /** Where little is measured; a multiple of the groups. */
  private static final int FEW_PROBES = 1 << 14;

  private static final int GROUP = 256;
  private static final int RANGE = 100;
  private static final int PROBES_PER_RANGE = 16;
  private static final int SMALL_GROUP = 128;
  private static final double HALF = 0.5;
  private static final double SEVENTY_PERCENT = 0.7;

  /** Inserts are one for so many entries, so that few of the pages are split. */
  private static final int ENTRIES_PER_INSERT = 20;

  private static final int WARMUP_ENTRIES = 500_000;
  private static final int WARMUP_ROUNDS = 3;

  /** Less data is for a look at the program, not at the figures. */
  private static final int LITTLE_DATA = 100_000;

  /** A scan of data that is soon read is repeated for so long. */
  private static final long SCAN_NANOS = 100_000_000;

  private static final long SHORT_SCAN_NANOS = 1_000_000;

  private static final long HUGE_PAGE_BYTES = 2L << 20;

  private final PeerType type;
  private final long entries;
  private final int probes;
  private final long scanNanos;
  private final long expectedSum;
  private final SplittableRandom random = new SplittableRandom(7);
  private Peer filled;
  private Peer full;

  /** Memory for {@link #bandwidth}; taken when first asked for. */
  private MemorySegment sequence = MemorySegment.NULL;

  /** The keys of all entries, by which {@link #range} checks sums; made when first asked for. */
  private long[] sortedKeys = {};

  private RatioWorker(PeerType type, long entries) {
    this.type = type;
    this.entries = entries;
    this.probes = isLittle(entries) ? FEW_PROBES : PROBES;
    this.scanNanos = isLittle(entries) ? SHORT_SCAN_NANOS : SCAN_NANOS;
    this.expectedSum = WorkKeys.sum(entries);
    this.filled = type.create();
    this.full = type.create();
  }

  /** Takes the structure's name, the number of entries, and whether to run all variants first. */
  public static void main(String[] args) throws IOException {
    NativeRequirement.check();
    PeerType type = Peers.named(args[0]);
    long entries = Long.parseLong(args[1]);
    if (Boolean.parseBoolean(args[2])) {
      Pollution.warmAllVariants(isLittle(entries) ? Pollution.FEW_ENTRIES : Pollution.ENTRIES);
    }
    new RatioWorker(type, Math.min(entries, WARMUP_ENTRIES)).warmUp();
    new RatioWorker(type, entries).serve();
  }

  private static boolean isLittle(long entries) {
    return entries < LITTLE_DATA;
  }

  private void warmUp() {
    int rounds = isLittle(entries) ? 1 : WARMUP_ROUNDS;
    for (int i = 0; i < rounds; i++) {
      for (Measure measure : Measure.values()) {
        if (canMeasure(measure)) {
          measure(measure);
        }
      }
    }
    filled.close();
    full.close();
  }

  private boolean canMeasure(Measure measure) {
    return filled instanceof IndexPeer
        || OF_ANY_MAP.contains(measure)
        || (OF_SORTED_MAPS.contains(measure) && !type.equals(Peers.HASH_MAP));
  }

  private void serve() throws IOException {
    System.out.println(READY);
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      System.out.println(measure(Measure.valueOf(line)));
    }
  }

  private double measure(Measure measure) {
    return switch (measure) {
      case PUT -> fill(Peer::put);
      case SET -> fill(Peer::set);
      case GET -> get();
      case GET_CHAINED -> getChained();
      case GET_ALL -> getAll(GROUP);
      case GET_ALL_128 -> getAll(SMALL_GROUP);
      case RANGE -> range();
      case LOAD -> load();
      case LOAD_HALF -> bulkload(HALF);
      case SCAN_LOADED -> scan(filled);
      case SCAN_HALF -> scan(full);
      case INSERT_70 -> insert();
      case INSERT_ALL_70 -> insertAll();
      case FILL_HALF -> indexOf(full).statistics().leafFill();
      case LINE -> line();
      case SCAN_AFTER_PUT -> scan(filled);
      case BULKLOAD -> bulkload(1);
      case SCAN -> scan(full);
      case BANDWIDTH -> bandwidth();
      case BYTES_FULL -> (double) full.bytes() / entries;
      case BYTES_AFTER_PUT -> bytesPerEntryAfterPut();
    };
  }

  /** A call that writes one entry. */
  @FunctionalInterface
  private interface Write {
    void entry(Peer peer, long key, long value);
  }

  private double fill(Write write) {
    filled.close();
    filled = type.create();
    // The maps on the Java heap leave garbage; collecting it is not this put's work.
    System.gc();
    Peer peer = filled;
    long start = System.nanoTime();
    for (long i = 0; i < entries; i++) {
      long key = WorkKeys.key(i);
      write.entry(peer, key, WorkKeys.value(key));
    }
    double nanos = System.nanoTime() - start;
    check("number of entries", entries, peer.size());
    return nanos / entries;
  }

  private double get() {
    long[] keys = WorkKeys.probes(random, entries, probes);
    Peer peer = filled;
    long sum = 0;
    long start = System.nanoTime();
    for (long key : keys) {
      sum += peer.get(key);
    }
    double nanos = System.nanoTime() - start;
    check("sum of values", sumOfValues(keys), sum);
    return nanos / probes;
  }

  private double getChained() {
    long[] keys = WorkKeys.probes(random, entries, probes);
    Peer peer = filled;
    long sum = 0;
    long wrong = 0;
    long start = System.nanoTime();
    for (long key : keys) {
      // Always 0, but the processor can know it only once the value is there.
      long value = peer.get(key + wrong);
      wrong = value - WorkKeys.value(key);
      sum += value;
    }
    double nanos = System.nanoTime() - start;
    check("sum of values", sumOfValues(keys), sum);
    return nanos / probes;
  }

  private double getAll(int group) {
    long[] keys = WorkKeys.probes(random, entries, probes);
    long[] values = new long[group];
    Peer peer = filled;
    long sum = 0;
    long start = System.nanoTime();
    for (int from = 0; from < probes; from += group) {
      peer.getAll(keys, from, values, 0, group);
      for (long value : values) {
        sum += value;
      }
    }
    double nanos = System.nanoTime() - start;
    check("sum of values", sumOfValues(keys), sum);
    return nanos / probes;
  }

  private double load() {
    if (!(filled instanceof IndexPeer)) {
      return fill(Peer::put);
    }
    filled.close();
    filled = type.create();
    LongEntrySource sorted = WorkKeys.sorted(Math.toIntExact(entries));
    long start = System.nanoTime();
    filled.bulkload(sorted, entries);
    double nanos = System.nanoTime() - start;
    check("number of entries", entries, filled.size());
    return nanos / entries;
  }

  private double bulkload(double fillFactor) {
    full.close();
    full = type.create();
    LongCursor sorted = indexOf(filled).cursor();
    long start = System.nanoTime();
    indexOf(full).bulkload(sorted, fillFactor, entries, ProgressListener.NONE);
    double nanos = System.nanoTime() - start;
    check("number of entries", entries, full.size());
    return nanos / entries;
  }

  private double insertAll() {
    bulkload(SEVENTY_PERCENT);
    long[] keys = newKeys();
    long[] values = WorkKeys.values(keys);
    LongIndex index = indexOf(full);
    long start = System.nanoTime();
    for (int from = 0; from < keys.length; from += GROUP) {
      index.putAll(keys, from, values, from, Math.min(GROUP, keys.length - from));
    }
    double nanos = System.nanoTime() - start;
    check("number of entries", entries + keys.length, index.size());
    return nanos / keys.length;
  }

  private long[] newKeys() {
    return WorkKeys.keys(entries, Math.toIntExact(entries / ENTRIES_PER_INSERT));
  }

  private double insert() {
    bulkload(SEVENTY_PERCENT);
    long[] keys = newKeys();
    Peer peer = full;
    long start = System.nanoTime();
    for (long key : keys) {
      peer.put(key, WorkKeys.value(key));
    }
    double nanos = System.nanoTime() - start;
    check("number of entries", entries + keys.length, peer.size());
    return nanos / keys.length;
  }

  private double range() {
    long[] keys = WorkKeys.probes(random, entries, probes / PROBES_PER_RANGE);
    Peer peer = filled;
    long sum = 0;
    long start = System.nanoTime();
    for (long key : keys) {
      sum += peer.scanRange(key, RANGE);
    }
    double nanos = System.nanoTime() - start;
    check("sum of the ranges", sumOfRanges(keys), sum);
    return nanos / ((long) keys.length * RANGE);
  }

  private long sumOfRanges(long[] from) {
    if (sortedKeys.length == 0) {
      sortedKeys = WorkKeys.keys(0, Math.toIntExact(entries));
      Arrays.sort(sortedKeys);
    }
    long sum = 0;
    for (long key : from) {
      int first = Arrays.binarySearch(sortedKeys, key);
      for (int i = first; i < Math.min(first + RANGE, sortedKeys.length); i++) {
        sum += sortedKeys[i] + WorkKeys.value(sortedKeys[i]);
      }
    }
    return sum;
  }

  private double scan(Peer peer) {
    long bytes = 0;
    long nanos = 0;
    while (nanos < scanNanos) {
      long start = System.nanoTime();
      long sum = peer.scanRuns();
      nanos += System.nanoTime() - start;
      bytes += entries * 2 * Long.BYTES;
      check("sum of entries", expectedSum, sum);
    }
    return (double) bytes / nanos;
  }

  private double bandwidth() {
    long longs = entries * 2;
    if (sequence.byteSize() == 0) {
      sequence = hugePagedMemory(longs * Long.BYTES);
      sequence.fill((byte) 1);
    }
    long bytes = 0;
    long nanos = 0;
    while (nanos < scanNanos) {
      long start = System.nanoTime();
      long sum = Sums.of(sequence, 0, longs);
      nanos += System.nanoTime() - start;
      bytes += longs * Long.BYTES;
      check("sum of longs", longs * 0x0101_0101_0101_0101L, sum);
    }
    return (double) bytes / nanos;
  }

  /** As the trees' batched lookups fetch their leaves, and as much memory. */
  private double line() {
    bandwidth();
    long lines = sequence.byteSize() / CacheLine.BYTES;
    long[] offsets = random.longs(probes, 0, lines).map(i -> i << CacheLine.SHIFT).toArray();
    long sum = 0;
    long start = System.nanoTime();
    for (int from = 0; from < probes; from += SMALL_GROUP) {
      Prefetch.batch(sequence.address(), offsets, from, SMALL_GROUP, 1);
      for (int i = from; i < from + SMALL_GROUP; i++) {
        sum += sequence.get(ValueLayout.JAVA_LONG, offsets[i]);
      }
    }
    double nanos = System.nanoTime() - start;
    check("sum of longs", (long) offsets.length * 0x0101_0101_0101_0101L, sum);
    return nanos / probes;
  }

  private static MemorySegment hugePagedMemory(long bytes) {
    Arena arena = Arena.ofAuto();
    if (!VirtualMemory.isAvailable()) {
      return arena.allocate(bytes, HUGE_PAGE_BYTES);
    }
    MemorySegment memory = VirtualMemory.reserve(bytes, HUGE_PAGE_BYTES, arena);
    VirtualMemory.adviseHugePages(memory);
    return memory;
  }

  private double bytesPerEntryAfterPut() {
    if (type.heapBytesPerEntry() == 0) {
      return (double) filled.bytes() / entries;
    }
    long with = heapBytesInUse();
    filled.close();
    filled = type.create();
    return (double) (with - heapBytesInUse()) / entries;
  }

  private static long heapBytesInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static LongIndex indexOf(Peer peer) {
    if (peer instanceof IndexPeer index) {
      return index.index();
    }
    throw new IllegalArgumentException("this is measured for Espalier's trees only");
  }

  private static long sumOfValues(long[] keys) {
    long sum = 0;
    for (long key : keys) {
      sum += WorkKeys.value(key);
    }
    return sum;
  }

  private static void check(String what, long expected, long actual) {
    if (actual != expected) {
      throw new IllegalStateException(
          "wrong answer: the " + what + " is " + actual + ", not " + expected);
    }
  }
}
