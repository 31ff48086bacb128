// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * A long run of calls of one index, each compared with a map: it grows to many entries, shrinks to
 * ten, grows again, is loaded anew, and so through every operation of the interface. Everything
 * follows from the seed.
 */
public final class DifferentialRun {
  private static final int FEW = 10;
  private static final int MOST_BATCH = 300;
  private static final int CURSORS = 4;

  /** So many entries are counted whenever the size is to be asked for; more in fewer cases. */
  private static final int OFTEN_COUNTED = 1_000;

  /** So many entries are scanned whenever that is to be done in between; more in fewer cases. */
  private static final int OFTEN_SCANNED = 20_000;

  /** Calls after which keys come from elsewhere. */
  private static final int CALLS_OF_A_PLACE = 200;

  /** Turns of growing or shrinking after which it is asked whether to stop. */
  private static final int TURNS_PER_QUESTION = 16;

  private final SoakShape shape;
  private final boolean cursorsCopy;
  private final long seed;
  private final int entries;
  private final Path folder;
  private final SplittableRandom random;
  private final NavigableMap<Long, Long> model = new TreeMap<>();
  private final KeyChoice keys;
  private final Calls calls;
  private final List<CursorPair> cursors = new ArrayList<>();
  private long count;
  private long turns;
  private long keysInBatches;
  private long stepsBefore;
  private String call = "creating the index";

  /**
   * Prepares a run.
   *
   * @param entries to how many entries the index grows
   * @param folder in which a store gets a folder of its own
   */
  public DifferentialRun(SoakShape shape, long seed, int entries, Path folder) {
    if (entries < 1) {
      throw new IllegalArgumentException("entries is " + entries + "; it must be positive");
    }
    this.shape = shape;
    this.cursorsCopy = shape.cursorsCopy();
    this.seed = seed;
    this.entries = entries;
    this.folder = folder;
    this.random = new SplittableRandom(seed);
    this.keys = new KeyChoice(random, model, entries);
    this.calls = new Calls(random);
  }

  /**
   * Runs to the end, or until it is told to stop growing and shrinking.
   *
   * @param isEnough given the number of operations so far, tells whether to stop
   * @return the number of operations that were compared: of calls, each move of a cursor one of
   *     them, but of batches each key
   * @throws SoakFailure if the index does anything that a map does not
   */
  public long run(LongPredicate isEnough) {
    IndexUnderTest target = null;
    try {
      target = new IndexUnderTest(shape, folder, random);
      openCursors(target.index());
      grow(target, entries, isEnough);
      shrink(target, FEW, isEnough);
      grow(target, entries / 3, isEnough);
      reload(target, entries / 2);
      shrink(target, FEW, isEnough);
      grow(target, entries / 10, isEnough);
      reopen(target);
      check(target);
      target.close();
    } catch (RuntimeException | AssertionError wrong) {
      throw new SoakFailure(
          "%s, seed %d, operation %,d, %s: %s%s"
              .formatted(
                  shape, seed, operations(), call, wrong, target == null ? "" : target.place()),
          "--shape '%s' --entries %d --seed %d".formatted(shape, entries, seed),
          wrong);
    }
    target.deleteFiles();
    return operations();
  }

  private void grow(IndexUnderTest target, int size, LongPredicate isEnough) {
    while (model.size() < size && !isTimeToStop(isEnough)) {
      moveNowAndThen();
      int kind = random.nextInt(100);
      if (kind < 12) {
        long[] batch = keys.batch(batchLength());
        beginBatch("putAll", batch);
        calls.insertAll(target.index(), model, batch);
      } else if (kind < 40) {
        long key = keys.batch(1)[0];
        begin("an insert of " + key);
        calls.insert(target.index(), model, key);
      } else if (kind < 50) {
        long key = keys.any();
        begin("a removal of " + key);
        calls.remove(target.index(), model, key);
      } else {
        other(target, 1);
      }
    }
    check(target);
  }

  private void shrink(IndexUnderTest target, int size, LongPredicate isEnough) {
    while (model.size() > size && !isTimeToStop(isEnough)) {
      moveNowAndThen();
      int kind = random.nextInt(100);
      if (kind < 30) {
        long from = keys.present();
        removeRow(target, from, random.nextInt(1, MOST_BATCH));
      } else if (kind < 38) {
        long from = keys.present();
        long to = ahead(from, random.nextInt(1, MOST_BATCH));
        begin("removeRange from " + from + " to " + to);
        calls.removeRange(target.index(), model, from, to);
      } else if (kind < 44) {
        long key = keys.present();
        begin("a cursor that removes from " + key);
        CursorPair pair = new CursorPair(target.index().cursor(), model, cursorsCopy);
        pair.seek(random, key);
        pair.walk(random, random.nextInt(MOST_BATCH), random.nextInt(3, 10));
        stepsBefore += pair.moves();
      } else if (kind < 50) {
        long key = keys.any();
        begin("an insert of " + key);
        calls.insert(target.index(), model, key);
      } else {
        other(target, 3);
      }
    }
    check(target);
    begin("shrink");
    target.index().shrink();
    target.save(random);
    reopen(target);
    check(target);
    copy(target);
  }

  /** Removes a row of entries one by one, up or down. */
  private void removeRow(IndexUnderTest target, long from, int length) {
    boolean up = random.nextBoolean();
    Long key = from;
    for (int i = 0; i < length && key != null; i++) {
      begin("a removal of " + key);
      calls.remove(target.index(), model, key);
      key = up ? model.higherKey(key) : model.lowerKey(key);
    }
  }

  /** Empties the index and loads it with so many entries. */
  private void reload(IndexUnderTest target, int size) {
    begin("clear");
    target.index().clear();
    model.clear();
    check(target);
    long key = random.nextLong(-size, 1);
    long[] loaded = new long[size];
    long[] values = new long[size];
    for (int i = 0; i < size; i++) {
      key += random.nextInt(1, 6);
      loaded[i] = key;
      values[i] = random.nextLong();
      model.put(key, values[i]);
    }
    begin("bulkload of " + size);
    target
        .index()
        .bulkload(
            LongEntrySource.of(loaded, values, size),
            random.nextDouble(0.5, 1),
            size,
            ProgressListener.NONE);
    check(target);
    if (size > 0) {
      begin("a second bulkload");
      Calls.bulkloadRefused(target.index());
    }
  }

  /** A call that changes little, or nothing. */
  private void other(IndexUnderTest target, int removalsInTen) {
    LongIndex index = target.index();
    int kind = random.nextInt(1000);
    if (kind < 300) {
      long key = keys.any();
      begin("a lookup of " + key);
      calls.read(index, model, key);
    } else if (kind < 450) {
      long[] batch = keys.batch(batchLength());
      beginBatch("getAll", batch);
      calls.readAll(index, model, batch);
    } else if (kind < 520) {
      long key = keys.any();
      begin("replace of " + key);
      calls.replace(index, model, key);
    } else if (kind < 600) {
      CursorPair pair = cursors.get(random.nextInt(CURSORS));
      long key = keys.any();
      begin("a seek of " + key);
      pair.checkPlace();
      pair.seek(random, key);
    } else if (kind < 750) {
      begin("a walk of a cursor");
      CursorPair pair = cursors.get(random.nextInt(CURSORS));
      pair.checkPlace();
      pair.walk(random, random.nextInt(40), random.nextInt(removalsInTen + 1));
    } else if (kind < 800) {
      begin("nextRun");
      cursors.get(random.nextInt(CURSORS)).readRuns(random.nextInt(1, 4));
    } else if (kind < 860) {
      long from = keys.any();
      long to = ahead(from, random.nextInt(MOST_BATCH));
      begin("countRange from " + from + " to " + to);
      calls.count(index, model, from, to);
    } else if (kind < 910) {
      long from = keys.any();
      long to = ahead(from, random.nextInt(MOST_BATCH));
      begin("a view from " + from + " to " + to);
      calls.inView(index, model, from, to, keys);
    } else if (kind < 970) {
      long key = keys.any();
      begin("asMap at " + key);
      calls.asMap(index, model, key);
    } else if (kind < 990) {
      // Trees that write blindly count their entries one by one.
      if (random.nextInt(model.size() + 1) < OFTEN_COUNTED) {
        begin("size");
        Differences.checkNumber("size", model.size(), index.size());
      }
      begin("isEmpty");
      Differences.check("isEmpty", model.isEmpty(), index.isEmpty());
    } else {
      rare(target);
    }
  }

  /** What takes longer: once in some thousand calls, in a file more often than not. */
  private void rare(IndexUnderTest target) {
    switch (random.nextInt(60)) {
      case 0 -> {
        begin("shrink");
        target.index().shrink();
      }
      case 1, 2 -> reopen(target);
      case 3 -> copy(target);
      case 4 -> {
        if (random.nextInt(model.size() + 1) < OFTEN_SCANNED) {
          check(target);
        }
      }
      default -> {
        begin("saving");
        target.save(random);
      }
    }
  }

  private void reopen(IndexUnderTest target) {
    begin("closing and opening");
    if (target.reopen()) {
      openCursors(target.index());
    }
  }

  private void copy(IndexUnderTest target) {
    begin("a copy of an open store");
    target.recoverCopy(copy -> Differences.checkEntries(model, copy));
  }

  private void check(IndexUnderTest target) {
    begin("verify");
    target.verify();
    begin("a scan of everything");
    Differences.checkEntries(model, target.index());
  }

  private void begin(String what) {
    call = what;
    count++;
  }

  private void beginBatch(String what, long[] keysOfIt) {
    call = what + " of " + keysOfIt.length;
    keysInBatches += keysOfIt.length;
  }

  /**
   * Returns a length for a batch. Shorter ones are as likely as longer ones at each magnitude: what
   * batches of some hundreds do is not what those of a few do.
   */
  private int batchLength() {
    return (int) Math.exp(random.nextDouble() * Math.log(MOST_BATCH + 1.0));
  }

  private void moveNowAndThen() {
    if (random.nextInt(CALLS_OF_A_PLACE) == 0) {
      keys.move();
    }
  }

  /** Returns a key so many entries after another one; that one if there are none. */
  private long ahead(long from, int steps) {
    long key = from;
    Iterator<Long> later = model.tailMap(from, false).keySet().iterator();
    for (int i = 0; i < steps && later.hasNext(); i++) {
      key = later.next();
    }
    return key;
  }

  /** Returns how many of the operations were keys of batches. */
  public long keysInBatches() {
    return keysInBatches;
  }

  private long operations() {
    return count + keysInBatches + steps();
  }

  private boolean isTimeToStop(LongPredicate isEnough) {
    turns++;
    return turns % TURNS_PER_QUESTION == 0 && isEnough.test(operations());
  }

  private long steps() {
    long steps = stepsBefore;
    for (CursorPair pair : cursors) {
      steps += pair.moves();
    }
    return steps;
  }

  private void openCursors(LongIndex index) {
    stepsBefore = steps();
    cursors.clear();
    cursors.add(new CursorPair(index.cursor(), model, cursorsCopy));
    cursors.add(new CursorPair(index.cursor(), model, cursorsCopy));
    cursors.add(
        new CursorPair(
            index.subView(-500, true, entries / 2L, false).cursor(),
            model.subMap(-500L, true, entries / 2L, false),
            cursorsCopy));
    cursors.add(
        new CursorPair(index.descendingView().cursor(), model.descendingMap(), cursorsCopy));
  }
}
