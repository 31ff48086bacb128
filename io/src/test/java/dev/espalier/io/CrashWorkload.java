// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryLimitException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Everything that one can do to a store, at random, step by step; a model is told before. */
final class CrashWorkload {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final int KEYS = 300;

  private final CrashSetup setup;
  private final SplittableRandom random;
  private final CrashModel model;
  private final StoreOptions options;
  private final boolean everyWrite;

  /** Which commits are followed by a mark, as after a pause. */
  private final SplittableRandom marks;

  private final ForceHook hook;
  private final Runnable reopen;

  private @Nullable IndexStore store;
  private long nextValue = 1;

  private @Nullable Snapshot snapshot;

  /** What the snapshot has to have. */
  private CrashModel.State ofSnapshot = new CrashModel.State();

  /** Whether the device may refuse what needs room. */
  private final boolean mayBeFull;

  CrashWorkload(
      CrashSetup setup,
      SplittableRandom random,
      CrashModel model,
      StoreOptions options,
      ForceHook hook,
      Runnable reopen) {
    this.setup = setup;
    this.random = random;
    this.marks = new SplittableRandom(setup.seed() ^ 0x6d61726b);
    this.model = model;
    this.options = options;
    this.everyWrite = options.durability() == Durability.EVERY_WRITE;
    this.hook = hook;
    this.reopen = reopen;
    this.mayBeFull = setup.mode() == CrashSetup.Mode.FULL;
  }

  /** Goes on with a store that was opened. */
  void use(IndexStore opened) {
    store = opened;
    snapshot = null; // It ended with the store before.
  }

  private StoredIndex index(String name) {
    return StoredIndex.of(store(), setup.tree(), name);
  }

  private IndexStore store() {
    return Objects.requireNonNull(store);
  }

  /** Closes the store, which makes all that was written safe. */
  void close() {
    store().close();
    model.acknowledge(model.written());
  }

  /** Does some steps. */
  void work() {
    for (int i = random.nextInt(setup.steps()); i >= 0; i--) {
      step();
    }
  }

  private void step() {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    if (!model.now().indexes.containsKey(name)) {
      create(name);
      return;
    }
    switch (random.nextInt(60)) {
      case 0 -> drop(name);
      case 1 -> reopen.run();
      case 2 -> index(name).close();
      case 19 -> fillSegment();
      case 20 -> backup();
      case 3, 4 -> bulkload(name);
      case 5, 6, 7, 8 -> checkpoint();
      case 9 -> clear(name);
      case 17, 18 -> takeOrReadSnapshot();
      case 10, 11, 12 -> commit(true);
      case 13, 14, 15, 16 -> commit(false);
      default -> write(name);
    }
  }

  // ---------------------------------------------------------------- durable at once

  private void create(String name) {
    logged(s -> s.indexes.put(name, new TreeMap<>()), () -> index(name));
  }

  private void drop(String name) {
    change(s -> s.indexes.remove(name), () -> store().drop(name));
    if (!model.now().indexes.containsKey(name)) {
      model.acknowledge(model.written());
    }
  }

  private void bulkload(String name) {
    StoredIndex index = index(name);
    if (!model.now().index(name).isEmpty() && !clear(name)) {
      return;
    }
    long[] keys = new long[random.nextInt(10) == 0 ? 1500 : 1 + random.nextInt(200)];
    long[] values = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = 3L * i;
      values[i] = nextValue++;
    }
    if (change(s -> put(s, name, keys, values), () -> index.bulkload(keys, values))) {
      model.acknowledge(model.written());
    }
  }

  private static void put(CrashModel.State state, String name, long[] keys, long[] values) {
    for (int i = 0; i < keys.length; i++) {
      state.index(name).put(keys[i], values[i]);
    }
  }

  private void checkpoint() {
    long count = model.written();
    Runnable others = mayBeFull ? () -> {} : this::writeBeside;
    if (attempt(() -> hook.during(store()::checkpoint, others))) {
      model.acknowledge(count);
    }
  }

  /** Writes while a checkpoint is under way, as other threads may. */
  private void writeBeside() {
    // One that had to wait for room would wait for the checkpoint.
    while (random.nextInt(3) > 0 && store().state().space.available() > 300) {
      String name = NAMES.get(random.nextInt(NAMES.size()));
      if (model.now().indexes.containsKey(name)) {
        write(name);
      }
      if (random.nextInt(4) == 0) {
        commit(random.nextBoolean());
      }
    }
    if (random.nextInt(4) == 0) {
      fillSegment();
    }
  }

  /** Writes long notes until the log goes on in another segment. */
  private void fillSegment() {
    long count = StoreOptions.LEAST_SEGMENT_BYTES / IndexStore.MOST_NOTE_BYTES + 1;
    for (long i = 0; i < count; i++) {
      note("note " + nextValue++ + " ".repeat(3900));
    }
  }

  /** A snapshot stays as it was while the store changes. */
  private void takeOrReadSnapshot() {
    Snapshot held = snapshot;
    if (held == null) {
      takeSnapshot();
      return;
    }
    CrashModel.State found = CrashModel.State.of(held, setup.tree());
    if (!found.isSame(ofSnapshot)) {
      throw new AssertionError("a snapshot has changed: " + ofSnapshot.difference(found));
    }
    held.close();
    snapshot = null;
  }

  private void takeSnapshot() {
    long count = model.written();
    if (attempt(() -> snapshot = store().snapshot())) {
      ofSnapshot = CrashModel.State.copy(model.now());
      model.acknowledge(count);
    }
  }

  /** A copy has what was there when it was begun. */
  private void backup() {
    StoreEnvironment environment = store().state().environment;
    Path copy = SimulatedDisk.path("copy");
    environment.files().delete(copy); // An earlier life may have ended before it did this.
    long count = model.written();
    if (attempt(() -> store().backup(copy))) {
      model.acknowledge(count);
      attempt(() -> compareCopy(new StoreOpening(copy, options, environment)));
    }
    environment.files().delete(copy);
  }

  private void compareCopy(StoreOpening opening) {
    try (IndexStore copy = opening.open()) {
      CrashModel.State found = CrashModel.State.of(copy, setup.tree());
      if (!found.isSame(model.now())) {
        throw new AssertionError("a backup differs: " + model.now().difference(found));
      }
    }
  }

  private void commit(boolean withNote) {
    if (withNote) {
      boolean isLong = random.nextInt(4) == 0;
      note("note " + nextValue++ + " ".repeat(isLong ? 3000 : 0));
    } else if (attempt(store()::commit)) {
      acknowledgeCommit();
    }
  }

  private void note(String note) {
    byte[] bytes = note.getBytes(StandardCharsets.UTF_8);
    if (change(s -> s.note = note, () -> store().commit(bytes))) {
      acknowledgeCommit();
    }
  }

  private void acknowledgeCommit() {
    if (setup.mode() != CrashSetup.Mode.GARBAGE) {
      model.acknowledge(model.written());
    }
    if (marks.nextBoolean()) {
      attempt(() -> store().state().log.mark(store().state().header.checkpoint()));
    }
  }

  // ---------------------------------------------------------------- logged

  private boolean clear(String name) {
    return logged(s -> s.index(name).clear(), () -> index(name).clear());
  }

  private void write(String name) {
    StoredIndex index = index(name);
    long key = random.nextInt(KEYS);
    long value = nextValue++;
    switch (random.nextInt(14)) {
      case 0, 1 -> logged(s -> s.index(name).remove(key), () -> index.delete(key));
      case 2 -> logged(s -> s.index(name).remove(key), () -> index.remove(key));
      case 3 ->
          logged(
              s -> s.index(name).subMap(key, true, key + 20, true).clear(),
              () -> index.removeRange(key, key + 20));
      case 4 ->
          logged(s -> s.index(name).putIfAbsent(key, value), () -> index.putIfAbsent(key, value));
      case 5 -> throughCursor(name, index, key, value);
      case 6 -> putAll(name, index);
      case 7, 8, 9 -> batch();
      case 10 -> logged(s -> s.index(name).put(key, value), () -> index.put(key, value));
      default -> logged(s -> s.index(name).put(key, value), () -> index.set(key, value));
    }
  }

  private void throughCursor(String name, StoredIndex index, long key, long value) {
    StoredIndex.Place place = index.ceiling(key);
    if (place == null) {
      return;
    }
    long there = place.key();
    if (random.nextBoolean()) {
      logged(s -> s.index(name).put(there, value), () -> place.setValue().accept(value));
    } else {
      logged(s -> s.index(name).remove(there), place.remove());
    }
  }

  /** Stores entries that become one record. */
  private void putAll(String name, StoredIndex index) {
    if (mayBeFull) {
      return; // Some of them may be stored then.
    }
    long[] keys = random.longs(1 + random.nextInt(60), 0, KEYS).toArray();
    long[] values = new long[keys.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = nextValue++;
    }
    logged(s -> put(s, name, keys, values), () -> index.putAll(keys, values));
  }

  private void batch() {
    WriteBatch batch = new WriteBatch();
    Consumer<CrashModel.State> change = s -> {};
    int count = random.nextInt(6) == 0 && !mayBeFull ? 200 : 12;
    for (int i = random.nextInt(count); i >= 0; i--) {
      String name = NAMES.get(random.nextInt(NAMES.size()));
      if (!model.now().indexes.containsKey(name)) {
        continue;
      }
      long key = random.nextInt(KEYS);
      long value = nextValue++;
      if (random.nextInt(4) == 0) {
        index(name).addDelete(batch, key);
        change = change.andThen(s -> s.index(name).remove(key));
      } else {
        index(name).addSet(batch, key, value);
        change = change.andThen(s -> s.index(name).put(key, value));
      }
    }
    logged(change, () -> store().write(batch));
  }

  // ---------------------------------------------------------------- refusals

  private boolean logged(Consumer<CrashModel.State> change, Runnable write) {
    boolean done = change(change, write);
    if (done && everyWrite) {
      acknowledgeCommit();
    }
    return done;
  }

  /** Makes a change; returns whether it was made, not refused for want of room. */
  private boolean change(Consumer<CrashModel.State> change, Runnable write) {
    model.write(change);
    if (attempt(write)) {
      return true;
    }
    if (!CrashModel.State.of(store(), setup.tree()).isSame(model.now())) {
      model.refuse();
      CrashModel.State is = CrashModel.State.of(store(), setup.tree());
      if (!is.isSame(model.now())) {
        throw new AssertionError(
            "a write that was refused left something: " + model.now().difference(is));
      }
    }
    return false;
  }

  /** Tries something; returns false if it was refused for want of room. */
  private boolean attempt(Runnable what) {
    try {
      what.run();
      return true;
    } catch (MemoryLimitException full) {
      if (mayBeFull) {
        return false;
      }
      throw full;
    } catch (PageFileException failed) {
      if (mayBeFull && SlotSpace.isFull(failed)) {
        return false;
      }
      throw failed;
    }
  }
}
