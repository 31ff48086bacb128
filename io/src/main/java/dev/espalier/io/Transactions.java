// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.IndexVersions.Version;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The open transactions of a store, and the versions that are kept for them. */
final class Transactions {
  /* Overview
   *
   * The trees hold the newest value of each key. What a key was before is kept beside them, in
   * IndexVersions, while an open transaction may need it.
   *
   * While no transaction is open, writers are within the gate together and keep no versions. Each
   * looks at `entering` when it is within. While one is open, each writer is alone in the gate:
   * that is its turn. A turn has a time, one later than the last; it puts versions with this time,
   * then changes the trees, and at its end publishes its time in `committed`. So a time says which
   * turns are past, and there is nothing between two of them.
   *
   * A transaction announces itself in `entering`, and then waits until it was alone in the gate: so
   * it has waited for all writers that did not see it. It need not if another transaction that has
   * done so is still open (`drained`). Only then it looks at `committed`, which becomes its own
   * time: what it reads is what there was then.
   *
   * Versions can go when no open transaction is older. The lock of the registry makes one step of
   * looking at `committed` and being among the open ones, for whoever asks which is the oldest.
   */

  /** The most bytes of versions and of writes that were not committed. */
  static final long MOST_BYTES = 64L << 20;

  /** Bytes of memory of a version, with its place in the map and in the queue; without strings. */
  static final int VERSION_BYTES = 160;

  /** Versions that are forgotten at the end of a turn or transaction beside others. */
  private static final int FORGOTTEN_AT_ONCE = 256;

  /** Places at which a test may have something else happen. */
  enum Place {
    /**
     * A transaction has looked at the time, and is not among the open ones; without a rule only.
     */
    LOOKED,
    /** A writer has looked who is entering, and is not within; without a rule only. */
    NOT_YET_WITHIN,
    /** A transaction has read the first of tree and versions. */
    HALF_READ,
    /** The writer of a batch has put versions, if it is to, and has changed no tree. */
    VERSIONS_ARE_PUT,
    /** A writer has changed the trees, and has not published. */
    TREES_ARE_CHANGED
  }

  private final WriterGate gate;
  private final StoreEnvironment environment;

  /** What a test does at places. */
  Consumer<Place> atPlace = _ -> {};

  /** What a test does before a transaction, which has announced itself, is among the open ones. */
  Runnable beforeListed = () -> {};

  /** The most bytes, and the versions that are forgotten at once; smaller in tests. */
  long mostBytes = MOST_BYTES;

  int forgottenAtOnce = FORGOTTEN_AT_ONCE;

  // ---- the registry, changed under its lock

  private final ReentrantLock registry = new ReentrantLock();
  private final TreeSet<OpenTransaction> open =
      new TreeSet<>(
          Comparator.<OpenTransaction>comparingLong(one -> one.time)
              .thenComparingLong(one -> one.number));

  /** How many are open, or about to be. */
  private final AtomicInteger entering = new AtomicInteger();

  /** Whether no change without versions is under way, nor will be while any of them is open. */
  private boolean drained;

  private long begun;

  // ---- turns, changed by the thread that is alone in the gate

  /** The time of the last turn that has ended. */
  private volatile long committed;

  /** The time of the turn. */
  private long time;

  /** How many writes of this thread are under way, one within the other. */
  private int depth;

  /** Whether the turn is published at its end. */
  private boolean isPublished;

  /** Whether the turn puts versions. */
  private boolean keepsVersions;

  private final long[] found = new long[1];

  /** Versions to be put when the trees are changed; without a rule only. */
  private final Queue<Runnable> late = new ArrayDeque<>();

  // ---- versions

  private final Map<Integer, IndexVersions<Long, Long>> versions = new ConcurrentHashMap<>();
  private final Map<Integer, IndexVersions<byte[], byte[]>> versionsOfStrings =
      new ConcurrentHashMap<>();

  /** Indexes that transactions have used. */
  private final Map<String, WeakReference<Object>> indexes = new ConcurrentHashMap<>();

  /** All versions, in the order of their times. */
  private final Queue<Version<?, ?>> queue = new ConcurrentLinkedQueue<>();

  private final ReentrantLock forgetting = new ReentrantLock();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  Transactions(WriterGate gate, StoreEnvironment environment) {
    this.gate = gate;
    this.environment = environment;
  }

  /** Tells whether a rule is followed. */
  boolean keeps(Rule rule) {
    return environment.keeps(rule);
  }

  /** Tells a test that a place was reached. */
  void reach(Place place) {
    atPlace.accept(place);
  }

  /** Does the same in a turn that is published. */
  void reachInTurn(Place place) {
    if (isPublished) {
      reach(place);
    }
  }

  /** Returns what finds the indexes of the store. */
  TransactionIndexes indexesOf(IndexStore store) {
    return new TransactionIndexes(store.indexes(), indexes);
  }

  /** Returns the versions of an index. */
  IndexVersions<Long, Long> of(StoreIndex index) {
    return versions.computeIfAbsent(
        index.id(), _ -> new IndexVersions<>(index.name(), new ConcurrentSkipListMap<>()));
  }

  /** Returns the versions of an index of byte strings. */
  IndexVersions<byte[], byte[]> of(StoreBytesIndex index) {
    return versionsOfStrings.computeIfAbsent(
        index.id(),
        _ ->
            new IndexVersions<>(
                index.name(), new ConcurrentSkipListMap<>(Arrays::compareUnsigned)));
  }

  // ---------------------------------------------------------------- begin and end

  /**
   * Begins a transaction.
   *
   * @throws IllegalStateException if this thread is in the middle of a write
   */
  OpenTransaction begin() {
    long seen = keeps(Rule.TRANSACTIONS_ARE_ANNOUNCED_FIRST) ? Long.MIN_VALUE : look();
    OpenTransaction one = null;
    entering.incrementAndGet();
    try {
      one = beginAnnounced(seen);
      return one;
    } finally {
      if (one == null) {
        entering.decrementAndGet(); // Or writers would keep versions for nobody.
      }
    }
  }

  private long look() {
    long looked = committed;
    reach(Place.LOOKED);
    return looked;
  }

  private OpenTransaction beginAnnounced(long seen) {
    if (!keeps(Rule.TIME_AND_ENTRY_ARE_ONE_STEP)) {
      return beginAlone(look());
    }
    registry.lock();
    try {
      if (drained || !keeps(Rule.TRANSACTIONS_WAIT_FOR_CHANGES)) {
        return list(seen);
      }
    } finally {
      registry.unlock();
    }
    return beginAlone(seen);
  }

  /** Begins a transaction when no change is under way. */
  private OpenTransaction beginAlone(long seen) {
    gate.enterAlone();
    try {
      if (depth > 0) {
        throw new IllegalStateException("a transaction can't begin within a write");
      }
      registry.lock();
      try {
        return list(seen);
      } finally {
        registry.unlock();
      }
    } finally {
      gate.leaveAlone();
    }
  }

  private OpenTransaction list(long seen) {
    beforeListed.run();
    OpenTransaction one =
        new OpenTransaction(this, seen == Long.MIN_VALUE ? committed : seen, begun++);
    open.add(one);
    one.isListed = true;
    drained = true;
    return one;
  }

  /** Ends a transaction, and tells whether it was open. */
  boolean end(OpenTransaction one) {
    boolean wasOpen;
    boolean isLast;
    registry.lock();
    try {
      wasOpen = one.isListed;
      unlist(one);
      isLast = open.isEmpty();
    } finally {
      registry.unlock();
    }
    if (wasOpen) {
      forget(isLast ? Integer.MAX_VALUE : forgottenAtOnce);
    }
    return wasOpen;
  }

  private void unlist(OpenTransaction one) {
    if (one.isListed) {
      one.isListed = false;
      open.remove(one);
      drained &= !open.isEmpty();
      entering.decrementAndGet();
      bytes.addAndGet(-one.bytes);
      one.bytes = 0;
    }
  }

  /** Ends a transaction whose owner was dropped and has not. */
  void endDropped(OpenTransaction one) {
    if (end(one)) {
      dropped.incrementAndGet();
    }
  }

  /** Returns how many transactions were dropped without having been ended. */
  long dropped() {
    return dropped.get();
  }

  // ---------------------------------------------------------------- turns

  /** Tells whether writers have to keep versions, each in its turn. */
  boolean areEntering() {
    return entering.get() > 0;
  }

  /** Begins a write of the thread that is alone. */
  void beginTurn() {
    if (depth++ == 0) {
      keepsVersions = areEntering();
      isPublished = keepsVersions;
      time = committed + 1;
      if (keepsVersions && !keeps(Rule.TURNS_ARE_PUBLISHED_AT_THEIR_END)) {
        committed = time;
      }
    }
  }

  /** Ends a write of the thread that is alone: others may see it. */
  void endTurn() {
    if (--depth > 0 || !isPublished) {
      return;
    }
    reach(Place.TREES_ARE_CHANGED);
    late.forEach(Runnable::run);
    late.clear();
    keepsVersions = false;
    committed = time;
    forget(forgottenAtOnce);
  }

  /** Keeps what a key is, which the thread that is alone may be about to change. */
  void keep(StoreIndex index, long key) {
    if (keepsVersions) {
      boolean isThere = index.bare().find(key, found);
      keep(of(index), key, isThere ? found[0] : null, VERSION_BYTES);
    }
  }

  /** Keeps what a key of byte strings is. */
  void keep(StoreBytesIndex index, MemorySegment key) {
    if (!keepsVersions || key.byteSize() > BytesIndex.MAX_KEY) {
      return; // A longer one is refused by the tree.
    }
    IndexVersions<byte[], byte[]> kept = of(index);
    byte[] copy = key.toArray(ValueLayout.JAVA_BYTE);
    if (kept.isChangedAt(copy, time)) {
      return;
    }
    long length = index.get(key, MemorySegment.NULL);
    int more = bytesOf(copy, length);
    if (hasRoomFor(more)) {
      keep(kept, copy, length < 0 ? null : index.get(copy), more);
    }
  }

  private static int bytesOf(byte[] key, long valueBytes) {
    return VERSION_BYTES + key.length + (int) Math.max(0, valueBytes);
  }

  private <K, V> void keep(IndexVersions<K, V> index, K key, @Nullable V before, int bytes) {
    if (keeps(Rule.VERSIONS_COME_BEFORE_CHANGES)) {
      add(index, key, before, bytes);
    } else {
      late.add(() -> add(index, key, before, bytes));
    }
  }

  private <K, V> void add(IndexVersions<K, V> index, K key, @Nullable V before, int more) {
    Version<K, V> version = index.add(key, time, before, more);
    if (version != null) {
      queue.add(version);
      if (bytes.addAndGet(more) > mostBytes) {
        makeRoom(0);
        // If none is open, those that come wait for the end of this turn.
        keepsVersions = oneIsOpen();
      }
    }
  }

  /** Tells whether a version is to be kept; makes room before its value is copied. */
  private boolean hasRoomFor(int more) {
    if (bytes.get() + more > mostBytes) {
      makeRoom(more);
      keepsVersions = oneIsOpen();
    }
    return keepsVersions;
  }

  private boolean oneIsOpen() {
    registry.lock();
    try {
      return !open.isEmpty();
    } finally {
      registry.unlock();
    }
  }

  /** Keeps what some keys are. */
  void keepAll(StoreIndex index, long[] keys, int from, int count) {
    for (int i = from; keepsVersions && i < from + count; i++) {
      keep(index, keys[i]);
    }
  }

  /** Keeps the entries of a range. */
  void keepRange(StoreIndex index, long from, boolean inclusive, long to, boolean toInclusive) {
    if (!keepsVersions) {
      return;
    }
    IndexVersions<Long, Long> kept = of(index);
    LongCursor cursor = index.bare().cursor();
    boolean isThere = inclusive ? cursor.ceiling(from) : cursor.higher(from);
    while (isThere && keepsVersions && (cursor.key() < to || (toInclusive && cursor.key() == to))) {
      keep(kept, cursor.key(), cursor.value(), VERSION_BYTES);
      isThere = cursor.next();
    }
  }

  /**
   * Keeps the entries of a range of byte strings.
   *
   * @param to null for no end
   */
  void keepRange(
      StoreBytesIndex index,
      byte[] from,
      boolean inclusive,
      byte @Nullable [] to,
      boolean toInclusive) {
    if (!keepsVersions) {
      return;
    }
    IndexVersions<byte[], byte[]> kept = of(index);
    BytesCursor cursor = index.cursor();
    MemorySegment first = MemorySegment.ofArray(from);
    boolean isThere = inclusive ? cursor.ceiling(first) : cursor.higher(first);
    while (isThere) {
      byte[] key = cursor.keyArray();
      int more = bytesOf(key, cursor.valueBytes());
      boolean isBehind = to != null && Arrays.compareUnsigned(key, to) > (toInclusive ? 0 : -1);
      if (isBehind || !hasRoomFor(more)) {
        return;
      }
      keep(kept, key, cursor.valueArray(), more);
      isThere = cursor.next();
    }
  }

  /** Notes that an index is about to be filled, if it is empty. */
  void keepEmpty(StoreIndex index) {
    if (keepsVersions && index.bare().isEmpty()) {
      of(index).addFill(time, oldest());
    }
  }

  /** Notes the same of an index of byte strings. */
  void keepEmpty(StoreBytesIndex index) {
    if (keepsVersions && index.isEmpty()) {
      of(index).addFill(time, oldest());
    }
  }

  /** Tells whether this thread is within a write of its own. */
  boolean isWithinWrite() {
    return depth > 1;
  }

  /**
   * Checks that this thread is not in the middle of a write, of which a checkpoint would have half,
   * and a verification see half.
   *
   * @throws IllegalStateException if it is
   */
  void checkNotWriting() {
    if (isWriting()) {
      throw new IllegalStateException(
          "a source or listener of a write must not verify the store, nor do what needs a"
              + " checkpoint: that would have half of the write");
    }
  }

  /** Tells whether this thread is alone in the gate, and in the middle of a write. */
  boolean isWriting() {
    return gate.isAlone() && depth > 0;
  }

  // ---------------------------------------------------------------- memory

  /** Adds to the bytes of a transaction's writes, which may end it. */
  void charge(OpenTransaction one, int more) {
    registry.lock();
    try {
      if (!one.isListed) {
        return;
      }
      one.bytes += more;
    } finally {
      registry.unlock();
    }
    if (bytes.addAndGet(more) > mostBytes) {
      makeRoom(0);
    }
  }

  /** Returns the bytes of versions and of writes that were not committed. */
  long bytes() {
    return bytes.get();
  }

  /** Returns the number of keys with versions, of all indexes. O(keys). */
  long keysWithVersions() {
    return Stream.of(versions, versionsOfStrings)
        .flatMap(all -> all.values().stream())
        .mapToLong(IndexVersions::keys)
        .sum();
  }

  /** Ends the oldest transactions until there is room for some bytes more, or none is open. */
  private void makeRoom(int more) {
    forgetAll();
    while (bytes.get() + more > mostBytes && endOldest()) {
      forgetAll();
    }
  }

  /** Ends the oldest transaction, and tells whether there was one. */
  private boolean endOldest() {
    registry.lock();
    try {
      if (open.isEmpty()) {
        return false;
      }
      OpenTransaction oldest = open.first();
      oldest.doom();
      unlist(oldest);
      return true;
    } finally {
      registry.unlock();
    }
  }

  /** Returns the time of which all earlier versions can go. */
  private long oldest() {
    registry.lock();
    try {
      return open.isEmpty() || !keeps(Rule.VERSIONS_STAY_FOR_THE_OLDEST)
          ? committed
          : Math.min(open.first().time, committed);
    } finally {
      registry.unlock();
    }
  }

  /**
   * Forgets versions that no transaction needs, unless another thread does so.
   *
   * @param most how many, if there are more
   */
  private void forget(int most) {
    if (queue.isEmpty() || !forgetting.tryLock()) {
      return;
    }
    try {
      forgetAlone(most);
    } finally {
      forgetting.unlock();
    }
  }

  /** Forgets all versions that no transaction needs, with those that another thread is about to. */
  private void forgetAll() {
    forgetting.lock();
    try {
      forgetAlone(Integer.MAX_VALUE);
    } finally {
      forgetting.unlock();
    }
  }

  private void forgetAlone(int most) {
    long oldest = oldest();
    for (int i = 0; i < most; i++) {
      Version<?, ?> next = queue.peek();
      if (next == null || next.time > oldest) {
        return;
      }
      queue.remove();
      next.forget();
      bytes.addAndGet(-next.bytes);
    }
  }
}
