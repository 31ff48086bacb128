// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.benchmarks.peer.IndexPeer;
import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.ValueReader;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** What a tree for byte strings costs where all keys and values have eight bytes. */
final class EightByteKeys implements AutoCloseable {
  private static final String BYTES = StringsInMemory.TREE;
  private static final String LONGS = "DiskFirstFpbPlusTree";
  private static final int GROUP = StringsInMemory.GROUP;
  private static final int MOST_PROBES = 500_000;
  private static final double LIMIT = 1.8;

  /** Its bytes are in the order of the longs once their signs are inverted. */
  private static final ValueLayout.OfLong KEY = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final long[] keys;
  private final long[] probes;
  private final PackedBytes packedKeys;
  private final PackedBytes packedProbes;
  private final long[] found = new long[GROUP];
  private final Rounds rounds = new Rounds();

  // Kept, so that a lookup makes no object.
  private final ValueReader reader = this::add;
  private final BatchReader batchReader =
      (_, piece, from, size, position, total) -> add(piece, from, size, position, total);
  private BytesIndex bytes = PrefixBPlusTree.create();
  private IndexPeer longs = emptyLongs();
  private long sum;

  EightByteKeys(int entries) {
    keys = WorkKeys.keys(0, entries);
    probes = WorkKeys.probes(new SplittableRandom(1), entries, Math.min(MOST_PROBES, entries));
    packedKeys = pack(keys);
    packedProbes = pack(probes);
  }

  private static IndexPeer emptyLongs() {
    return new IndexPeer(DiskFirstFpbPlusTree::create);
  }

  private static PackedBytes pack(long[] keys) {
    Arena arena = Arena.ofAuto();
    MemorySegment bytes = arena.allocate((long) keys.length * Long.BYTES);
    MemorySegment offsets = arena.allocate(JAVA_INT, keys.length + 1L);
    for (int i = 0; i < keys.length; i++) {
      bytes.set(KEY, (long) i * Long.BYTES, keys[i] ^ Long.MIN_VALUE);
      offsets.setAtIndex(JAVA_INT, i + 1L, Math.multiplyExact(i + 1, Long.BYTES));
    }
    return new PackedBytes(bytes, offsets, keys.length);
  }

  void measure(int count) {
    long expected = Arrays.stream(probes).map(WorkKeys::value).sum();
    long all = WorkKeys.sum(keys.length);
    rounds.add(work("put", BYTES), keys.length, this::renewBytes, this::putBytes);
    rounds.add(work("put", LONGS), keys.length, this::renewLongs, this::putLongs);
    StringsInMemory.addRead(rounds, work("get", BYTES), probes.length, expected, this::getBytes);
    StringsInMemory.addRead(rounds, work("get", LONGS), probes.length, expected, this::getLongs);
    StringsInMemory.addRead(
        rounds, work("getAll", BYTES), probes.length, expected, this::getAllBytes);
    StringsInMemory.addRead(
        rounds, work("getAll", LONGS), probes.length, expected, this::getAllLongs);
    StringsInMemory.addRead(rounds, work("scan", BYTES), keys.length, all, this::scanBytes);
    StringsInMemory.addRead(
        rounds, work("scan", LONGS), keys.length, all, () -> longs.scanEntries());
    rounds.run(count);
  }

  private static String work(String what, String tree) {
    return what + " of 8-byte keys, " + tree;
  }

  private void renewBytes() {
    bytes.close();
    bytes = PrefixBPlusTree.create(IndexOptions.DEFAULT);
  }

  private void renewLongs() {
    longs.close();
    longs = emptyLongs();
  }

  private void putBytes() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(Long.BYTES);
      for (int i = 0; i < keys.length; i++) {
        value.set(JAVA_LONG_UNALIGNED, 0, WorkKeys.value(keys[i]));
        bytes.set(packedKeys.get(i), value);
      }
    }
  }

  private void putLongs() {
    LongIndex index = longs.index();
    for (long key : keys) {
      index.set(key, WorkKeys.value(key));
    }
  }

  private void add(MemorySegment piece, long from, long size, long position, long total) {
    sum += piece.get(JAVA_LONG_UNALIGNED, from);
  }

  private long getBytes() {
    sum = 0;
    for (int i = 0; i < probes.length; i++) {
      bytes.get(packedProbes.get(i), reader);
    }
    return sum;
  }

  private long getLongs() {
    LongIndex index = longs.index();
    long all = 0;
    for (long probe : probes) {
      all += index.get(probe);
    }
    return all;
  }

  private long getAllBytes() {
    sum = 0;
    for (int i = 0; i < probes.length; i += GROUP) {
      MemorySegment offsets = packedProbes.offsets().asSlice((long) i * Integer.BYTES);
      bytes.getAll(
          new PackedBytes(packedProbes.bytes(), offsets, Math.min(GROUP, probes.length - i)),
          batchReader);
    }
    return sum;
  }

  private long getAllLongs() {
    LongIndex index = longs.index();
    long all = 0;
    for (int i = 0; i < probes.length; i += GROUP) {
      int some = Math.min(GROUP, probes.length - i);
      index.getAll(probes, i, found, 0, some);
      for (int j = 0; j < some; j++) {
        all += found[j];
      }
    }
    return all;
  }

  private long scanBytes() {
    sum = 0;
    BytesCursor cursor = bytes.cursor();
    while (cursor.next()) {
      sum += cursor.key().get(KEY, 0) ^ Long.MIN_VALUE;
      cursor.value(reader);
    }
    return sum;
  }

  Map<String, Double> medians() {
    return rounds.medians();
  }

  List<Target> targets() {
    List<Target> targets = new ArrayList<>();
    for (String what : List.of("get", "getAll", "put", "scan")) {
      targets.add(
          new Target(
              what + " of 8-byte keys, time over that of " + LONGS,
              Target.Bound.AT_MOST,
              LIMIT,
              "x",
              rounds.ratio(work(what, BYTES), work(what, LONGS))));
    }
    return targets;
  }

  @Override
  public void close() {
    bytes.close();
    longs.close();
  }
}
