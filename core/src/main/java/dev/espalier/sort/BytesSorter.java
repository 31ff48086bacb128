// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import dev.espalier.sort.RecordReader.Run;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries of byte strings that come in any order, for {@link BytesIndex#bulkload}, in bounded
 * memory: whatever does not fit goes to a temporary file. This class does for byte strings what
 * {@link EntrySorter} does for longs.
 *
 * <pre>{@code
 * try (BytesSorter sorter = BytesSorter.create(SortOptions.DEFAULT)) {
 *   for (Row row : rows) {
 *     sorter.add(row.name(), row.bytes());
 *   }
 *   BytesEntrySource sorted = sorter.sorted(ProgressListener.NONE);
 *   index.bulkload(sorted, 1.0, sorter.added(), ProgressListener.NONE);
 * }
 * }</pre>
 *
 * <p>Keys are in the order of their unsigned bytes. Of several entries with the same key, one is
 * kept, or they are refused, as {@link Duplicates} says. Adding n entries and reading them back
 * takes O(n log n) comparisons; the file takes 8 bytes for each entry in addition to the entry's
 * own bytes, and twice that for a while if there are too many runs to merge at once. An entry that
 * is larger than the memory takes as much additional memory as it needs.
 *
 * <p>When {@link #add} or {@link #sorted} fails because a disk is full, a duplicate is refused or
 * the listener cancels, the sorter closes itself. Not safe for use by several threads.
 */
public final class BytesSorter implements AutoCloseable {
  /* Overview
   *
   * Entries are collected in a piece that fits into the cache (RecordPiece), and sorted when it is
   * full. When the pieces fill the memory, they are merged (RecordMerge) into a run in the file. At
   * the end the runs are merged, each through a share of the memory; if the shares would be too
   * small to read a file efficiently, passes before merge neighbouring runs into longer ones, in a
   * second file. Pieces and runs are kept in the order in which they came. Of the entries of one
   * key the one that stays is always the first: where the last is to stay, the order is reversed.
   */

  /** What a processor's second-level cache holds. */
  private static final long MOST_PIECE = 1 << 20;

  /** The piece and the write buffer each take one part in so many of the memory. */
  private static final int PIECE_SHARE = 8;

  /** Smaller reads would leave a device waiting. */
  private static final long LEAST_SHARE = 64 << 10;

  /** Larger ones gain nothing. */
  private static final long MOST_SHARE = 4 << 20;

  private final SortOptions options;
  private final SpillFile.Opener opener;
  private final long pieceBytes;

  private final Arena pieceArena = Arena.ofShared();
  private final RecordPiece piece;

  private Arena arena = Arena.ofShared();
  private final List<MemorySegment> pieces = new ArrayList<>();
  private long inPieces;

  /** The number of entries that are not in a file. */
  private long inMemory;

  private @Nullable SpillFile file;
  private List<Run> runs = new ArrayList<>();

  private long added;
  private long dropped;
  private @Nullable RecordMerge lastMerge;
  private boolean isSorted;
  private boolean isClosed;

  private BytesSorter(SortOptions options, SpillFile.Opener opener) {
    this.options = options;
    this.opener = opener;
    this.pieceBytes = Math.min(MOST_PIECE, options.memoryBytes() / PIECE_SHARE);
    this.piece = new RecordPiece(pieceArena.allocate(pieceBytes, Long.BYTES), sign(options) < 0);
  }

  /** Creates a sorter without entries. It takes memory as entries come. */
  public static BytesSorter create(SortOptions options) {
    return create(options, TemporaryFile::open);
  }

  /** Creates a sorter whose temporary files are opened in another way. */
  static BytesSorter create(SortOptions options, SpillFile.Opener opener) {
    return new BytesSorter(Objects.requireNonNull(options, "options"), opener);
  }

  /**
   * Returns 1 if the first of several entries with the same key comes first, -1 if the last does.
   */
  private static int sign(SortOptions options) {
    return options.duplicates() == Duplicates.KEEP_LAST ? -1 : 1;
  }

  // ---------------------------------------------------------------- add

  /** Adds an entry, as {@link #add(MemorySegment, MemorySegment)} does. */
  public void add(byte[] key, byte[] value) {
    add(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  /**
   * Adds a copy of an entry. Now and then, this writes what is in memory to the file.
   *
   * @throws IllegalStateException if the sorter is closed, or was asked for its sorted entries
   * @throws IllegalArgumentException if the key has more than {@link BytesIndex#MAX_KEY} bytes, or
   *     the value more than {@link BytesIndex#MAX_VALUE}; or if duplicates are refused and a key is
   *     there twice, which may be noticed later
   * @throws java.io.UncheckedIOException if the file can't be created or written; the message names
   *     the folder
   */
  public void add(MemorySegment key, MemorySegment value) {
    checkAdding();
    checkLengths(key.byteSize(), value.byteSize());
    add(
        key,
        value.byteSize(),
        (memory, at) -> MemorySegment.copy(value, 0, memory, at, value.byteSize()));
  }

  /**
   * Adds all entries of a source.
   *
   * @throws IllegalStateException as {@link #add}
   * @throws IllegalArgumentException as {@link #add}
   * @throws java.io.UncheckedIOException as {@link #add}
   */
  public void addAll(BytesEntrySource source) {
    checkAdding();
    while (source.next()) {
      checkLengths(source.key().byteSize(), source.valueBytes());
      add(
          source.key(),
          source.valueBytes(),
          (memory, at) ->
              source.value(
                  (part, from, bytes, position, _) ->
                      MemorySegment.copy(part, from, memory, at + position, bytes)));
    }
  }

  private static void checkLengths(long keyBytes, long valueBytes) {
    if (keyBytes > BytesIndex.MAX_KEY) {
      throw new IllegalArgumentException(
          "key has %d bytes; at most %d are possible".formatted(keyBytes, BytesIndex.MAX_KEY));
    }
    if (valueBytes > BytesIndex.MAX_VALUE) {
      throw new IllegalArgumentException(
          "value has %d bytes; at most %d are possible"
              .formatted(valueBytes, BytesIndex.MAX_VALUE));
    }
  }

  /** Writes a value to its place. */
  @FunctionalInterface
  private interface ValueWriter {
    void write(MemorySegment memory, long at);
  }

  private void add(MemorySegment key, long valueBytes, ValueWriter value) {
    long bytes = Records.bytes(key.byteSize(), valueBytes);
    if (!piece.hasRoom(bytes)) {
      closingIfItFails(this::keepPiece);
    }
    if (bytes <= pieceBytes) {
      write(key, valueBytes, value, piece.memory(), piece.bytes());
      piece.added(bytes);
    } else {
      closingIfItFails(() -> makeRoom(bytes));
      MemorySegment alone = arena.allocate(bytes, Long.BYTES);
      write(key, valueBytes, value, alone, 0);
      keep(alone);
    }
    inMemory++;
    added++;
  }

  private static void write(
      MemorySegment key, long valueBytes, ValueWriter value, MemorySegment memory, long at) {
    Records.putLengths(memory, at, (int) key.byteSize(), (int) valueBytes);
    MemorySegment.copy(key, 0, memory, at + Records.HEADER, key.byteSize());
    value.write(memory, at + Records.HEADER + key.byteSize());
  }

  /** Sorts the piece, and keeps it with those before it. */
  private void keepPiece() {
    if (piece.count() > 0) {
      makeRoom(piece.bytes());
      keep(piece.sorted(arena));
    }
  }

  /** Writes what is in memory to the file if there is no room for {@code bytes} bytes more. */
  private void makeRoom(long bytes) {
    if (!pieces.isEmpty() && inPieces + bytes > options.memoryBytes() - 2 * pieceBytes) {
      spill(new SortProgress(ProgressListener.NONE, inMemory));
    }
  }

  private void keep(MemorySegment sorted) {
    pieces.add(sorted);
    inPieces += sorted.byteSize();
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
   * @param listener told of entries that are merged before the first can be read
   * @throws IllegalStateException if the sorter is closed, or was asked for its sorted entries
   *     before
   * @throws java.util.concurrent.CancellationException if the listener cancels
   * @throws IllegalArgumentException as {@link #add}
   * @throws java.io.UncheckedIOException as {@link #add}
   */
  public BytesEntrySource sorted(ProgressListener listener) {
    checkAdding();
    isSorted = true;
    closingIfItFails(() -> sort(listener));
    return new Sorted(Objects.requireNonNull(lastMerge));
  }

  private void sort(ProgressListener listener) {
    keepPiece();
    pieceArena.close();
    SortProgress progress =
        new SortProgress(listener, inMemory + mergePasses(runs.size() + 1) * added);
    if (file == null) {
      progress.add(inMemory);
      lastMerge = mergePieces();
    } else {
      spill(progress);
      mergeDown(progress);
    }
  }

  private RecordMerge mergePieces() {
    List<RecordReader> readers = new ArrayList<>();
    for (MemorySegment sorted : pieces) {
      readers.add(RecordReader.ofMemory(sorted, readers.size() * sign(options)));
    }
    return new RecordMerge(readers, options.duplicates());
  }

  /** Merges the pieces into a run at the end of the file. */
  private void spill(SortProgress progress) {
    if (file == null) {
      file = SpillFile.create(options.folder(), opener);
    }
    try (Arena buffers = Arena.ofConfined()) {
      MemorySegment buffer = buffers.allocate(pieceBytes, Long.BYTES);
      runs.add(write(mergePieces(), file, buffer, progress));
    }
    arena.close();
    arena = Arena.ofShared();
    pieces.clear();
    inPieces = 0;
    inMemory = piece.count();
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
    lastMerge = merge(runs, share(runs.size()), arena);
  }

  /** Merges groups of neighbouring runs into runs of a new file. */
  private void mergePass(SortProgress progress) {
    SpillFile merged = SpillFile.create(options.folder(), opener);
    List<Run> longer = new ArrayList<>();
    try (Arena buffers = Arena.ofConfined()) {
      long share = share(fanIn() + 1);
      MemorySegment buffer = buffers.allocate(share, Long.BYTES);
      for (int from = 0; from < runs.size(); from += fanIn()) {
        List<Run> group = runs.subList(from, Math.min(from + fanIn(), runs.size()));
        try (Arena readers = Arena.ofConfined()) {
          longer.add(write(merge(group, share, readers), merged, buffer, progress));
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

  private long share(int number) {
    return Math.clamp(options.memoryBytes() / number, LEAST_SHARE, MOST_SHARE);
  }

  private RecordMerge merge(List<Run> group, long share, Arena buffers) {
    SpillFile from = Objects.requireNonNull(file);
    List<RecordReader> readers = new ArrayList<>();
    for (Run run : group) {
      int order = readers.size() * sign(options);
      readers.add(RecordReader.ofFile(from, run, order, share, buffers));
    }
    return new RecordMerge(readers, options.duplicates());
  }

  private Run write(
      RecordMerge merge, SpillFile target, MemorySegment buffer, SortProgress progress) {
    long position = target.bytes();
    long inBuffer = 0;
    long unreported = 0;
    while (merge.next()) {
      long bytes = Records.bytes(merge.memory(), merge.at());
      if (inBuffer + bytes > buffer.byteSize()) {
        target.append(buffer.asSlice(0, inBuffer));
        inBuffer = 0;
      }
      if (bytes > buffer.byteSize()) {
        target.append(merge.memory().asSlice(merge.at(), bytes));
      } else {
        MemorySegment.copy(merge.memory(), merge.at(), buffer, inBuffer, bytes);
        inBuffer += bytes;
      }
      unreported++;
      if (unreported == SortProgress.REPORT_EVERY) {
        progress.add(unreported);
        unreported = 0;
      }
    }
    target.append(buffer.asSlice(0, inBuffer));
    progress.add(unreported);
    dropped += merge.dropped();
    return new Run(position, target.bytes() - position);
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
      arena.close();
      if (pieceArena.scope().isAlive()) {
        pieceArena.close();
      }
      if (file != null) {
        file.close();
      }
    }
  }

  /** The source that users are given: throws once the sorter is closed. */
  private final class Sorted implements BytesEntrySource {
    private final BytesEntrySource source;

    Sorted(BytesEntrySource source) {
      this.source = source;
    }

    @Override
    public boolean next() {
      checkOpen();
      return source.next();
    }

    @Override
    public MemorySegment key() {
      checkOpen();
      return source.key();
    }

    @Override
    public void value(ValueReader reader) {
      checkOpen();
      source.value(reader);
    }

    @Override
    public long valueBytes() {
      checkOpen();
      return source.valueBytes();
    }
  }
}
