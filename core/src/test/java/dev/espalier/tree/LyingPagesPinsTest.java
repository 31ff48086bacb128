// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Family;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.LyingPages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls for one key give back their pins, each once, whatever the pages say. */
class LyingPagesPinsTest {
  private static final int PAGE_BYTES = 1024;
  private static final int KEYS = 500;
  private static final int MOST_PINS = 70;

  /** Steps of a cursor, which a lie may lead round in circles. */
  private static final int MOST_STEPS = 100;

  /** What the store finds that no page can excuse. */
  private static final Pattern FAULTS =
      Pattern.compile("no page is pinned there|unpinned as unchanged|was written to");

  private final Random random = new Random(2);

  /** How often a call kept pins, by the call and what it threw. */
  private final SortedMap<String, Integer> leaks = new TreeMap<>();

  private static Stream<String> trees() {
    return Family.all().stream()
        .filter(tree -> tree.medium() == TreeVariant.Medium.PAGES)
        .map(TreeVariant::name);
  }

  @ParameterizedTest
  @MethodSource("trees")
  void readsGiveBackTheirPins(String tree) {
    int rounds = TestSize.share(50, 3_000);
    for (int round = 0; round < rounds; ) {
      round += read(() -> new Longs(tree), rounds - round);
    }
    assertEquals(Map.of(), leaks);
  }

  @ParameterizedTest
  @MethodSource("trees")
  @Tag("thorough")
  void writesGiveBackTheirPins(String tree) {
    for (int round = 0; round < TestSize.share(30, 1_000); round++) {
      write(() -> new Longs(tree));
    }
    assertEquals(Map.of(), leaks);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readsOfByteStringsGiveBackTheirPins(boolean isConcurrent) {
    int rounds = TestSize.share(150, 3_000);
    for (int round = 0; round < rounds; ) {
      round += read(() -> new Strings(isConcurrent), rounds - round);
    }
    assertEquals(Map.of(), leaks);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void writesOfByteStringsGiveBackTheirPins(boolean isConcurrent) {
    for (int round = 0; round < TestSize.share(30, 1_000); round++) {
      write(() -> new Strings(isConcurrent));
    }
    assertEquals(Map.of(), leaks);
  }

  /** Reads what lies until something keeps a pin. Returns how many lies that took. */
  private int read(Supplier<Tree> making, int most) {
    try (Tree tree = making.get()) {
      for (int round = 1; round <= most; round++) {
        tree.lies.lie();
        for (Map.Entry<String, LongConsumer> each : tree.reads().entrySet()) {
          if (keepsPins(tree, each.getKey(), each.getValue())) {
            return round;
          }
        }
        tree.lies.undo();
      }
      return most;
    }
  }

  /** Writes to what lies, after which all of it may be of no use. */
  private void write(Supplier<Tree> making) {
    try (Tree tree = making.get()) {
      List<Map.Entry<String, LongConsumer>> writes = new ArrayList<>(tree.writes().entrySet());
      Collections.shuffle(writes, random);
      tree.lies.lie();
      for (Map.Entry<String, LongConsumer> each : writes) {
        if (keepsPins(tree, each.getKey(), each.getValue())) {
          return;
        }
      }
    }
  }

  /** Makes a call, and tells whether pins are not as they were before it. */
  private boolean keepsPins(Tree tree, String name, LongConsumer call) {
    String thrown = "nothing";
    try {
      call.accept(random.nextInt(KEYS));
    } catch (RuntimeException refusal) {
      thrown = refusal.toString();
    }
    boolean isWrong = tree.pages.pins() > 0 || FAULTS.matcher(thrown).find();
    try {
      tree.pages.checkUntouched();
    } catch (IllegalStateException beyond) {
      isWrong = true;
      thrown += " and has left " + beyond.getMessage();
    }
    if (isWrong) {
      leaks.merge(name + ", which threw " + thrown, 1, Integer::sum);
    }
    return isWrong;
  }

  /** A tree whose pages lie, and what is called. */
  private abstract class Tree implements AutoCloseable {
    final LyingPages lies;
    final CheckedPageStore pages;

    Tree() {
      MemoryPageStore memory = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
      lies = new LyingPages(memory, random);
      pages = new CheckedPageStore(memory, MOST_PINS);
    }

    /** Returns what reads, by its name, given a key. */
    abstract SortedMap<String, LongConsumer> reads();

    /** Frees the memory, of which lies may have led to places beside the pages. */
    @Override
    public void close() {
      try {
        pages.close();
      } catch (IllegalStateException unbalanced) {
        // As was found before, or beside the pages.
      }
    }

    /** Returns what writes. */
    abstract SortedMap<String, LongConsumer> writes();
  }

  /** A seek of a cursor. */
  private interface Seek {
    boolean test(LongCursor cursor, long key);
  }

  private final class Longs extends Tree {
    private final LongIndex index;

    Longs(String tree) {
      index = Family.named(tree).open(IndexOptions.DEFAULT, pages);
      for (int i = 0; i < KEYS; i++) {
        index.put(random.nextInt(KEYS), i);
      }
    }

    @Override
    SortedMap<String, LongConsumer> reads() {
      SortedMap<String, LongConsumer> reads = new TreeMap<>();
      reads.put("get", index::get);
      reads.put("getOrDefault", key -> index.getOrDefault(key, 3));
      reads.put("find", key -> index.find(key, new long[1]));
      reads.put("containsKey", index::containsKey);
      reads.put("next", key -> scan(key, LongCursor::ceiling, LongCursor::next));
      reads.put("previous", key -> scan(key, LongCursor::floor, LongCursor::previous));
      reads.put("first", _ -> index.cursor().first());
      reads.put("last", _ -> index.cursor().last());
      reads.put("nextRun", this::runs);
      return reads;
    }

    private void scan(long key, Seek seek, Predicate<LongCursor> step) {
      LongCursor cursor = index.cursor();
      boolean isOn = seek.test(cursor, key);
      for (int i = 0; isOn && i < MOST_STEPS; i++) {
        cursor.value();
        isOn = step.test(cursor);
      }
    }

    private void runs(long key) {
      LongCursor cursor = index.cursor();
      LongRun run = new LongRun();
      cursor.ceiling(key);
      for (int i = 0; i < MOST_STEPS && cursor.nextRun(run); i++) {
        run.value(0);
      }
    }

    @Override
    SortedMap<String, LongConsumer> writes() {
      SortedMap<String, LongConsumer> writes = new TreeMap<>();
      writes.put("put", key -> index.put(key, 1));
      writes.put("put anew", key -> index.put(key + KEYS, 1));
      writes.put("putIfAbsent", key -> index.putIfAbsent(key, 1));
      writes.put("set", key -> index.set(key, 1));
      writes.put("remove", index::remove);
      writes.put("delete", index::delete);
      writes.put("puts", key -> some(key, i -> index.put(i * 7, i)));
      writes.put("removeRange", this::removeRange);
      writes.put("removals", key -> some(key, index::remove));
      writes.put("setValue", key -> withCursor(key, cursor -> cursor.setValue(1)));
      writes.put("remove by cursor", key -> withCursor(key, LongCursor::remove));
      return writes;
    }

    private void removeRange(long key) {
      index.removeRange(key, true, key + random.nextInt(KEYS), true);
    }

    private void withCursor(long key, Consumer<LongCursor> change) {
      LongCursor cursor = index.cursor();
      if (cursor.ceiling(key)) {
        change.accept(cursor);
      }
    }
  }

  private final class Strings extends Tree {
    private final BytesIndex index;

    Strings(boolean isConcurrent) {
      index = isConcurrent ? ConcurrentPrefixBPlusTree.open(pages) : PrefixBPlusTree.open(pages);
      for (int i = 0; i < KEYS / 2; i++) {
        index.set(bytes(random.nextInt(KEYS)), new byte[i % 20 == 0 ? 2_000 : i % 30]);
      }
    }

    /** Returns a key, some of which are longer than a page keeps. */
    private static byte[] bytes(long key) {
      byte[] bytes = new byte[key % 7 == 0 ? 150 : 8];
      ByteBuffer.wrap(bytes).putInt((int) key);
      return bytes;
    }

    private static MemorySegment segment(long key) {
      return MemorySegment.ofArray(bytes(key));
    }

    @Override
    SortedMap<String, LongConsumer> reads() {
      SortedMap<String, LongConsumer> reads = new TreeMap<>();
      reads.put("get", key -> index.get(bytes(key)));
      reads.put("get piecewise", key -> index.get(segment(key), (_, _, _, _, _) -> {}));
      reads.put("get into", key -> index.get(segment(key), MemorySegment.ofArray(new byte[99])));
      reads.put("containsKey", key -> index.containsKey(bytes(key)));
      reads.put("next", key -> scan(key, BytesCursor::ceiling, BytesCursor::next));
      reads.put("previous", key -> scan(key, BytesCursor::floor, BytesCursor::previous));
      reads.put("first", _ -> index.cursor().first());
      reads.put("last", _ -> index.cursor().last());
      return reads;
    }

    private void scan(
        long key, BiPredicate<BytesCursor, MemorySegment> seek, Predicate<BytesCursor> step) {
      BytesCursor cursor = index.cursor();
      boolean isOn = seek.test(cursor, segment(key));
      for (int i = 0; isOn && i < MOST_STEPS; i++) {
        cursor.keyArray();
        cursor.valueArray();
        isOn = step.test(cursor);
      }
    }

    @Override
    SortedMap<String, LongConsumer> writes() {
      SortedMap<String, LongConsumer> writes = new TreeMap<>();
      writes.put("put", key -> index.put(bytes(key), new byte[9]));
      writes.put("put much", key -> index.put(bytes(key), new byte[3_000]));
      writes.put("putIfAbsent", key -> index.putIfAbsent(bytes(key), new byte[9]));
      writes.put("set", key -> index.set(bytes(key), new byte[20]));
      writes.put("remove", key -> index.remove(bytes(key)));
      writes.put("delete", key -> index.delete(bytes(key)));
      writes.put("sets", key -> some(key, i -> index.set(bytes(i), new byte[25])));
      writes.put("deletions", key -> some(key, i -> index.delete(bytes(i))));
      writes.put("removeRange", this::removeRange);
      writes.put("setValue", key -> withCursor(key, cursor -> cursor.setValue(segment(7))));
      writes.put("remove by cursor", key -> withCursor(key, BytesCursor::remove));
      return writes;
    }

    private void removeRange(long key) {
      index.removeRange(bytes(key), true, bytes(key + random.nextInt(KEYS)), true);
    }

    private void withCursor(long key, Consumer<BytesCursor> change) {
      BytesCursor cursor = index.cursor();
      if (cursor.ceiling(segment(key))) {
        change.accept(cursor);
      }
    }
  }

  /** Calls what is given many keys in a row. */
  private static void some(long from, LongConsumer call) {
    LongStream.range(from, from + 60).forEach(call);
  }
}
