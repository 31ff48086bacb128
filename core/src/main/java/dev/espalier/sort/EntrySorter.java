// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.sort.RunReader.Run;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries that come in any order, for {@link dev.espalier.LongIndex#bulkload}, in bounded
 * memory: whatever does not fit goes to a temporary file.
 *
 * <pre>{@code
 * try (EntrySorter sorter = EntrySorter.create(SortOptions.DEFAULT)) {
 *   while (rows.next()) {
 *     sorter.add(rows.key(), rows.value());
 *   }
 *   LongEntrySource sorted = sorter.sorted(ProgressListener.NONE);
 *   index.bulkload(sorted, 1.0, sorter.added(), ProgressListener.NONE);
 * }
 * }</pre>
 *
 * <p>Of several entries with the same key, one is kept, or they are refused, as {@link Duplicates}
 * says; "first" and "last" refer to the order in which they were added. Adding n entries and
 * reading them back takes O(n log r) for r runs that fit into memory; the file takes at most 16
 * bytes for each entry, and twice that for a while if there are too many runs to merge at once.
 *
 * <p>When {@link #add} or {@link #sorted} fails because a disk is full, a duplicate is refused or
 * the listener cancels, the sorter closes itself. Not safe for use by several threads.
 */
public final class EntrySorter implements AutoCloseable {
  /* Overview
   *
   * Half of the memory takes the entries as they come (Pairs), the other half is scratch space for
   * the radix sort. Full memory is sorted and appended to the file: a run. At the end the runs are
   * merged (RunMerge), each through a share of the memory. If the shares would be too small to read
   * a file efficiently, passes before merge neighbouring runs into longer ones, in a second file.
   * Every step is stable, and runs are kept in the order in which they came, so that duplicates
   * come to lie side by side, the first in front.
   */

  /** Smaller reads would leave a device waiting. */
  private static final long LEAST_SHARE = 64 << 10;

  /** Larger ones gain nothing. */
  private static final long MOST_SHARE = 4 << 20;

  private static final long FIRST_ROOM = 4096;

  private final SortOptions options;
  private final SpillFile.Opener opener;
  private final long capacity;

  private Arena arena = Arena.ofShared();
  private MemorySegment entries;
  private long room = FIRST_ROOM;
  private long count;

  private Arena scratchArena = Arena.ofShared();
  private MemorySegment scratch = MemorySegment.NULL;

  private @Nullable SpillFile file;
  private List<Run> runs = new ArrayList<>();

  private long added;
  private long dropped;
  private @Nullable RunMerge lastMerge;
  private boolean isSorted;
  private boolean isClosed;

  private EntrySorter(SortOptions options, SpillFile.Opener opener) {
    this.options = options;
    this.opener = opener;
    this.capacity = options.memoryBytes() / (2 * Pairs.BYTES);
    this.entries = arena.allocate(room * Pairs.BYTES, Long.BYTES);
  }

  /** Creates a sorter without entries. It takes memory as entries come. */
  public static EntrySorter create(SortOptions options) {
    return create(options, TemporaryFile::open);
  }

  /** Creates a sorter whose temporary files are opened in another way. */
  static EntrySorter create(SortOptions options, SpillFile.Opener opener) {
    return new EntrySorter(Objects.requireNonNull(options, "options"), opener);
  }

  // ---------------------------------------------------------------- add

  /**
   * Adds an entry. Now and then this sorts what fits into memory and writes it to the file.
   *
   * @throws IllegalStateException if the sorter is closed, or was asked for its sorted entries
   * @throws IllegalArgumentException if duplicates are refused and the key is there already, which
   *     may be noticed later
   * @throws java.io.UncheckedIOException if the file can't be created or written; the message names
   *     the folder
   */
  public void add(long key, long value) {
    checkAdding();
    if (count == room) {
      makeRoom();
    }
    Pairs.put(entries, count, key, value);
    count++;
    added++;
  }

  /**
   * Adds all entries of a source.
   *
   * @throws IllegalStateException as {@link #add}
   * @throws IllegalArgumentException as {@link #add}
   * @throws java.io.UncheckedIOException as {@link #add}
   */
  public void addAll(LongEntrySource source) {
    while (source.next()) {
      add(source.key(), source.value());
    }
  }

  private void makeRoom() {
    if (room < capacity) {
      long newRoom = Math.min(2 * room, capacity);
      Arena newArena = Arena.ofShared();
      MemorySegment larger = newArena.allocate(newRoom * Pairs.BYTES, Long.BYTES);
      MemorySegment.copy(entries, 0, larger, 0, count * Pairs.BYTES);
      arena.close();
      arena = newArena;
      entries = larger;
      room = newRoom;
    } else {
      closingIfItFails(() -> spill(new SortProgress(ProgressListener.NONE, count)));
    }
  }

  /** Returns the number of entries that were added, duplicates included. */
  public long added() {
    return added;
  }

  /**
   * Returns the number of duplicates that have been found and dropped so far: all of them once the
   * sorted entries have been read to the end.
   */
  public long dropped() {
    return dropped + (lastMerge == null ? 0 : lastMerge.dropped());
  }

  // ---------------------------------------------------------------- sort

  /**
   * Returns the entries in strictly ascending order of their keys. They can be read once, as long
   * as the sorter is open; no more can be added. The source throws {@link IllegalArgumentException}
   * where it meets a duplicate that is refused, and {@link java.io.UncheckedIOException} if the
   * file can't be read.
   *
   * @param listener told of entries that are sorted or merged before the first can be read
   * @throws IllegalStateException if the sorter is closed, or was asked for its sorted entries
   *     before
   * @throws java.util.concurrent.CancellationException if the listener cancels
   * @throws IllegalArgumentException as {@link #add}
   * @throws java.io.UncheckedIOException as {@link #add}
   */
  public LongEntrySource sorted(ProgressListener listener) {
    checkAdding();
    isSorted = true;
    long total = count + mergePasses(runs.size() + 1) * added;
    SortProgress progress = new SortProgress(listener, total);
    if (file == null) {
      closingIfItFails(() -> sortInMemory(progress));
      return new Sorted(new InMemory(entries, count));
    }
    closingIfItFails(
        () -> {
          spill(progress);
          freeMemory();
          mergeDown(progress);
        });
    return new Sorted(Objects.requireNonNull(lastMerge));
  }

  /** Sorts what is in memory, and leaves it in {@code entries}, without duplicates. */
  private void sortInMemory(SortProgress progress) {
    if (scratch.byteSize() < count * Pairs.BYTES) {
      scratch = scratchArena.allocate(room * Pairs.BYTES, Long.BYTES);
    }
    if (Pairs.sort(entries, scratch, count, progress)) {
      MemorySegment sorted = scratch;
      Arena sortedArena = scratchArena;
      scratch = entries;
      scratchArena = arena;
      entries = sorted;
      arena = sortedArena;
    }
    long kept = Pairs.dropDuplicates(entries, count, options.duplicates());
    dropped += count - kept;
    progress.add(count);
    count = kept;
  }

  /** Sorts what is in memory and appends it to the file as a run. */
  private void spill(SortProgress progress) {
    sortInMemory(progress);
    if (file == null) {
      file = SpillFile.create(options.folder(), opener);
    }
    runs.add(new Run(file.bytes(), count));
    file.append(entries.asSlice(0, count * Pairs.BYTES));
    count = 0;
  }

  // ---------------------------------------------------------------- merge

  /** Returns how many runs are merged at once; their readers share the memory with a writer. */
  private int fanIn() {
    return (int) Math.min(options.memoryBytes() / LEAST_SHARE - 1, Integer.MAX_VALUE - 8);
  }

  /** Returns how many passes come before the last merge. */
  private int mergePasses(int number) {
    int passes = 0;
    for (int left = number; left > fanIn(); left = Math.ceilDiv(left, fanIn())) {
      passes++;
    }
    return passes;
  }

  private void mergeDown(SortProgress progress) {
    while (runs.size() > fanIn()) {
      mergePass(progress);
    }
    long share = share(runs.size());
    arena = Arena.ofShared();
    lastMerge = merge(runs, share, arena);
  }

  /** Merges groups of neighbouring runs into runs of a new file. */
  private void mergePass(SortProgress progress) {
    SpillFile merged = SpillFile.create(options.folder(), opener);
    List<Run> longer = new ArrayList<>();
    try (Arena buffers = Arena.ofConfined()) {
      long share = share(fanIn() + 1);
      MemorySegment written = buffers.allocate(share, Long.BYTES);
      for (int from = 0; from < runs.size(); from += fanIn()) {
        List<Run> group = runs.subList(from, Math.min(from + fanIn(), runs.size()));
        try (Arena readers = Arena.ofConfined()) {
          longer.add(write(merge(group, share, readers), merged, written, progress));
        }
      }
    } catch (RuntimeException | Error failed) {
      merged.close();
      throw failed;
    }
    Objects.requireNonNull(file).close();
    file = merged;
    runs = longer;
  }

  private static long share(long number, long memoryBytes) {
    long share = Math.clamp(memoryBytes / number, LEAST_SHARE, MOST_SHARE);
    return share / Pairs.BYTES * Pairs.BYTES;
  }

  private long share(int number) {
    return share(number, options.memoryBytes());
  }

  private RunMerge merge(List<Run> group, long share, Arena readers) {
    List<RunReader> opened = new ArrayList<>();
    for (Run run : group) {
      MemorySegment buffer = readers.allocate(share, Long.BYTES);
      opened.add(new RunReader(Objects.requireNonNull(file), run, opened.size(), buffer));
    }
    return new RunMerge(opened, options.duplicates());
  }

  private Run write(RunMerge merge, SpillFile target, MemorySegment buffer, SortProgress progress) {
    long position = target.bytes();
    long room = buffer.byteSize() / Pairs.BYTES;
    long pairs = 0;
    long inBuffer = 0;
    while (merge.next()) {
      if (inBuffer == room) {
        target.append(buffer);
        progress.add(inBuffer);
        inBuffer = 0;
      }
      Pairs.put(buffer, inBuffer++, merge.key(), merge.value());
      pairs++;
    }
    target.append(buffer.asSlice(0, inBuffer * Pairs.BYTES));
    progress.add(inBuffer);
    dropped += merge.dropped();
    return new Run(position, pairs);
  }

  // ---------------------------------------------------------------- state

  private void checkAdding() {
    checkOpen();
    if (isSorted) {
      throw new IllegalStateException("the sorter was asked for its sorted entries already");
    }
  }

  private void checkOpen() {
    if (isClosed) {
      throw new IllegalStateException("the sorter is closed");
    }
  }

  private void closingIfItFails(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error failed) {
      close();
      throw failed;
    }
  }

  /** Frees memory and deletes the temporary file. A second call does nothing. */
  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      freeMemory();
      if (file != null) {
        file.close();
      }
    }
  }

  private void freeMemory() {
    closeOnce(arena);
    closeOnce(scratchArena);
  }

  private static void closeOnce(Arena arena) {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  /** The source that users are given: throws once the sorter is closed. */
  private final class Sorted implements LongEntrySource {
    private final LongEntrySource source;

    Sorted(LongEntrySource source) {
      this.source = source;
    }

    @Override
    public boolean next() {
      checkOpen();
      return source.next();
    }

    @Override
    public long key() {
      return source.key();
    }

    @Override
    public long value() {
      return source.value();
    }
  }

  /** Entries that never left the memory. */
  private static final class InMemory implements LongEntrySource {
    private final MemorySegment pairs;
    private final long count;
    private long pair = -1;

    InMemory(MemorySegment pairs, long count) {
      this.pairs = pairs;
      this.count = count;
    }

    @Override
    public boolean next() {
      if (pair + 1 >= count) {
        return false;
      }
      pair++;
      return true;
    }

    @Override
    public long key() {
      return Pairs.key(pairs, pair);
    }

    @Override
    public long value() {
      return Pairs.value(pairs, pair);
    }
  }
}
