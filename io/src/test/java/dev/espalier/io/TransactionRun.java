// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.family.Family;
import dev.espalier.io.Transactions.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Transactions over very few keys, interleaved at random: call by call and, at each {@link Place},
 * within calls. One thread does it all, so a run is repeated by its seed. A model knows all states
 * that there were; what a transaction reads must be of the one of its beginning, and what commits
 * must have the effect of an order.
 */
final class TransactionRun {
  private static final List<String> INDEXES = List.of("a", "b");
  private static final int KEYS = 5;
  private static final int MOST_OPEN = 4;
  private static final int MOST_NESTED = 3;

  /** Stands for the value of a key that was removed. */
  private static final long GONE = -2;

  /** What is asked of an index. */
  private interface Question extends Function<NavigableMap<Long, Long>, Object> {}

  /** What was asked of an index, with what writes of one's own, and the answer. */
  private record Read(int index, Question question, TreeMap<Long, Long> own, Object answer) {
    boolean fits(TreeMap<Long, Long> state) {
      return answer.equals(question.apply(part(with(state, own), index)));
    }
  }

  private static final class Life {
    final Transaction transaction;
    final List<Read> reads = new ArrayList<>();

    /** The states of which it may be: one, unless others committed while it began. */
    List<Integer> states;

    final TreeMap<Long, Long> writes = new TreeMap<>();

    Life(Transaction transaction, int from, int to) {
      this.transaction = transaction;
      this.states = IntStream.rangeClosed(from, to).boxed().toList();
    }
  }

  private final String tree;
  private final SplittableRandom random;
  private final boolean keepsAllRules;
  private final IndexStore store;
  private final Transactions transactions;

  /** All states: the keys of the second index come after those of the first. */
  private final List<TreeMap<Long, Long>> states = new ArrayList<>();

  /** The state in which a key was written last. */
  private final Map<Long, Integer> written = new HashMap<>();

  private final List<Life> idle = new ArrayList<>();
  private int nested;
  private int turns;
  private long values;
  private int committed;
  private int refused;

  private TransactionRun(String tree, long seed, Set<Rule> without) {
    this.tree = tree;
    this.random = new SplittableRandom(seed);
    this.keepsAllRules = without.isEmpty();
    StoreEnvironment environment =
        new StoreEnvironment(
            DiskTrials.disk(seed), new SplittableRandom(seed), false, false, without);
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(files(tree))
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
    this.store = new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
    this.transactions = store.state().transactions;
    INDEXES.forEach(this::index);
    states.add(new TreeMap<>());
    transactions.forgottenAtOnce = 1;
    transactions.atPlace = this::atPlace;
  }

  private static FileOptions files(String tree) {
    return tree.equals(StoreBytesIndex.KIND)
        ? FileOptions.DEFAULT
        : FileOptions.DEFAULT.withVariant(Family.named(tree));
  }

  private LongIndex index(String name) {
    return AsLongs.of(store, tree, name);
  }

  /**
   * Runs.
   *
   * @return how many transactions committed and were refused
   * @throws AssertionError if one has noticed another, or has lost something
   */
  static int[] run(String tree, long seed, int steps, Set<Rule> without) {
    TransactionRun run = new TransactionRun(tree, seed, without);
    try (IndexStore _ = run.store) {
      for (int i = 0; i < steps; i++) {
        run.step(true);
      }
      run.idle.forEach(life -> life.transaction.close());
      run.transactions.atPlace = _ -> {};
      for (int i = 0; i < INDEXES.size(); i++) {
        assertEquals(
            part(run.states.getLast(), i),
            AsLongs.entries(run.index(INDEXES.get(i))),
            "what is left");
      }
      assertEquals(0, run.transactions.keysWithVersions(), "keys that still have versions");
      assertEquals(0, run.transactions.bytes(), "bytes of versions");
    }
    return new int[] {run.committed, run.refused};
  }

  // ---------------------------------------------------------------- what happens

  private void atPlace(Place place) {
    if (nested == MOST_NESTED || random.nextInt(3) > 0) {
      return;
    }
    boolean inTurn = place == Place.VERSIONS_ARE_PUT || place == Place.TREES_ARE_CHANGED;
    nested++;
    turns += inTurn ? 1 : 0;
    for (int i = random.nextInt(6); i > 0; i--) {
      step(turns == 0);
    }
    turns -= inTurn ? 1 : 0;
    nested--;
  }

  private void step(boolean mayWrite) {
    int what = random.nextInt(10);
    if (what < 2 && mayWrite) {
      writeWithout();
    } else if (what < 4 || idle.isEmpty()) {
      begin();
    } else {
      Life life = idle.remove(random.nextInt(idle.size()));
      if (what == 4 && mayWrite) {
        commit(life);
      } else if (what == 5 && random.nextBoolean()) {
        life.transaction.close();
      } else {
        use(life);
        idle.add(life);
      }
    }
  }

  private void begin() {
    if (idle.size() >= MOST_OPEN) {
      return;
    }
    int from = states.size() - 1;
    Transaction transaction;
    try {
      transaction = store.begin(Isolation.values()[random.nextInt(2)]);
    } catch (IllegalStateException withinAWrite) {
      assertTrue(turns > 0, "a transaction was refused outside of a write");
      return;
    }
    idle.add(new Life(transaction, from, states.size() - 1));
  }

  private void use(Life life) {
    int index = random.nextInt(INDEXES.size());
    LongIndex seen = AsLongs.of(life.transaction, tree, INDEXES.get(index));
    long key = random.nextInt(KEYS);
    switch (random.nextInt(12)) {
      case 0, 1 -> read(life, index, all -> all.getOrDefault(key, -1L), seen.getOrDefault(key, -1));
      case 2 -> {
        long missing = seen.missingValue();
        read(life, index, all -> all.getOrDefault(key, missing), seen.get(key));
      }
      case 3 -> read(life, index, all -> new ArrayList<>(all.entrySet()), ascending(seen));
      case 4 ->
          read(
              life,
              index,
              all -> new ArrayList<>(all.descendingMap().entrySet()),
              descending(seen));
      case 5 -> read(life, index, all -> (long) all.size(), seen.size());
      case 6 -> {
        LongCursor cursor = seen.cursor();
        Object found = cursor.ceiling(key) ? List.of(cursor.key(), cursor.value()) : "none";
        read(life, index, all -> entry(all.ceilingEntry(key)), found);
      }
      case 7 -> {
        LongCursor cursor = seen.cursor();
        Object found = cursor.lower(key) ? List.of(cursor.key(), cursor.value()) : "none";
        read(life, index, all -> entry(all.lowerEntry(key)), found);
      }
      case 8 -> {
        long[] keys = {0, key, KEYS - 1};
        long[] answers = new long[3];
        seen.getAll(keys, answers, new long[1]);
        List<Long> found = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
          found.add(answers[i]);
        }
        long missing = seen.missingValue();
        read(
            life,
            index,
            all ->
                List.of(
                    all.getOrDefault(0L, missing),
                    all.getOrDefault(key, missing),
                    all.getOrDefault(KEYS - 1L, missing)),
            found);
      }
      case 9, 10 -> {
        long value = ++values;
        seen.set(key, value);
        life.writes.put((long) index * KEYS + key, value);
      }
      default -> {
        seen.delete(key);
        life.writes.put((long) index * KEYS + key, GONE);
      }
    }
  }

  private static Object entry(Map.@Nullable Entry<Long, Long> entry) {
    return entry == null ? "none" : List.of(entry.getKey(), entry.getValue());
  }

  private static List<Map.Entry<Long, Long>> ascending(LongIndex index) {
    List<Map.Entry<Long, Long>> entries = new ArrayList<>();
    LongCursor cursor = index.cursor();
    while (cursor.next()) {
      entries.add(Map.entry(cursor.key(), cursor.value()));
    }
    return entries;
  }

  private static List<Map.Entry<Long, Long>> descending(LongIndex index) {
    List<Map.Entry<Long, Long>> entries = new ArrayList<>();
    LongCursor cursor = index.cursor();
    while (cursor.previous()) {
      entries.add(Map.entry(cursor.key(), cursor.value()));
    }
    return entries;
  }

  // ---------------------------------------------------------------- the model

  /** Checks an answer, by all states that a transaction may be of. */
  private void read(Life life, int index, Question question, Object answer) {
    Read read = new Read(index, question, new TreeMap<>(life.writes), answer);
    List<Integer> possible =
        life.states.stream().filter(state -> read.fits(states.get(state))).toList();
    assertFalse(
        possible.isEmpty(),
        () ->
            "read %s of %s, which is of none of %s; last %s"
                .formatted(answer, index, life.states, states.getLast()));
    life.states = possible;
    life.reads.add(read);
  }

  private void commit(Life life) {
    boolean isSerializable = life.transaction.isolation() == Isolation.SERIALIZABLE;
    int begun = life.states.getLast();
    Set<Long> changedKeys =
        life.writes.keySet().stream()
            .filter(key -> written.getOrDefault(key, 0) > begun)
            .collect(Collectors.toSet());
    boolean isChanged = written.values().stream().anyMatch(state -> state > begun);
    try {
      life.transaction.commit();
    } catch (TransactionConflictException conflict) {
      refused++;
      if (keepsAllRules) {
        assertTrue(isChanged, "refused, though nobody has written");
        assertTrue(isSerializable || !changedKeys.isEmpty(), conflict.getMessage());
      }
      return;
    }
    if (life.writes.isEmpty()) {
      return;
    }
    committed++;
    assertTrue(changedKeys.isEmpty(), () -> "lost updates of " + changedKeys);
    if (isSerializable) {
      for (Read read : life.reads) {
        assertTrue(read.fits(states.getLast()), () -> "not serializable: " + read);
      }
    }
    addState(life.writes);
  }

  private void writeWithout() {
    TreeMap<Long, Long> writes = new TreeMap<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      writes.put(
          (long) random.nextInt(INDEXES.size() * KEYS), random.nextInt(3) == 0 ? GONE : ++values);
    }
    if (writes.size() == 1) {
      long key = writes.firstKey();
      LongIndex index = index(INDEXES.get((int) (key / KEYS)));
      if (writes.get(key) == GONE) {
        index.remove(key % KEYS);
      } else {
        index.put(key % KEYS, writes.get(key));
      }
    } else {
      WriteBatch batch = new WriteBatch();
      writes.forEach(
          (key, value) -> {
            LongIndex index = index(INDEXES.get((int) (key / KEYS)));
            if (value == GONE) {
              AsLongs.delete(batch, index, key % KEYS);
            } else {
              AsLongs.set(batch, index, key % KEYS, value);
            }
          });
      store.write(batch);
    }
    addState(writes);
  }

  private void addState(Map<Long, Long> writes) {
    int number = states.size();
    writes.keySet().forEach(key -> written.put(key, number));
    states.add(with(states.getLast(), writes));
  }

  private static TreeMap<Long, Long> with(TreeMap<Long, Long> state, Map<Long, Long> writes) {
    TreeMap<Long, Long> next = new TreeMap<>(state);
    next.putAll(writes);
    next.values().removeIf(value -> value == GONE);
    return next;
  }

  /** Returns the part of a state that is of one index. */
  private static NavigableMap<Long, Long> part(TreeMap<Long, Long> state, int index) {
    TreeMap<Long, Long> part = new TreeMap<>();
    long base = (long) index * KEYS;
    state.subMap(base, base + KEYS).forEach((key, value) -> part.put(key - base, value));
    return part;
  }
}
