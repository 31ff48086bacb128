// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Brings a store and its log together: carries out again what follows the checkpoint, up to the
 * last complete record, and ends with a checkpoint of a new epoch. It may itself be cut off at any
 * point: until the new header is durable, nothing that the old one needs is changed.
 */
final class Recovery implements Replay.Indexes {
  private final StoreState state;
  private final Checkpoints checkpoints;
  private final StoreHeader header;
  private final StoreFiles files;
  private final ProgressListener listener;

  private final Map<Long, LogSegment> numbered = new HashMap<>();
  private final List<LogSegment> others = new ArrayList<>();
  private int nextFile;
  private long nextNumber;

  /** Whether the log is to end where it is damaged. */
  private final boolean losesDamage;

  /** The latest epoch that anything in the log has. */
  private int lastEpoch;

  /** The segment that the last one names, and which stays until another header counts. */
  private @Nullable LogSegment next;

  /** The last record that counts. */
  private long sequence;

  private long records;
  private long logBytes;
  private String end = "";

  /**
   * Begins.
   *
   * @param listener told of bytes of the log
   */
  Recovery(StoreState state, Checkpoints checkpoints, ProgressListener listener) {
    this.listener = listener;
    this.state = state;
    this.checkpoints = checkpoints;
    this.header = state.header;
    this.files = state.environment.files();
    this.sequence = header.sequence();
    this.lastEpoch = header.epoch();
    this.losesDamage = state.options.files().flags().contains(FileOption.LOSE_DAMAGED_LOG);
  }

  RecoveryReport recover() {
    List<LogSegment> needed = new ArrayList<>();
    try {
      checkpoints.reserve();
      openSegments();
      Replay replay = new Replay(this, state.pool.sureBytes());
      // Trees that recovery opens write their pages, but no log.
      replay(replay, needed);
      replay.finish();
      begin(needed);
      if (needed.isEmpty()) {
        prepareLog(); // Before the file of the pages grows and takes what room there is.
      }
      if (keeps(Rule.RECOVERY_ENDS_IN_A_CHECKPOINT)) {
        checkpoints.make(false);
      }
      prepareLog();
      closeTrees();
      return new RecoveryReport(
          header.clean(), header.checkpoint(), records, replay.writes(), logBytes, end);
    } catch (RuntimeException | Error failed) {
      if (state.log == null) {
        LogFiles.close(numbered.values());
        LogFiles.close(others);
      }
      throw failed;
    }
  }

  // ---------------------------------------------------------------- segments

  /**
   * Opens all files of the log, and makes sure that what they show is not in memory only. No record
   * needs that, as recovery ends in a checkpoint; but a segment does whose maker was killed: one
   * that is ready must be as long as it seems before another one names it.
   */
  private void openSegments() {
    nextNumber = header.logSegment() + 1;
    for (Path file : files.beside(state.path)) {
      int number = LogFiles.number(state.path, file);
      if (number < 0) {
        continue;
      }
      nextFile = Math.max(nextFile, number + 1);
      LogSegment segment = LogSegment.open(files, file, Access.WRITE);
      segment.file.force();
      LogSegment.Header first = segment.header();
      if (first == null || first.storeId() != header.storeId()) {
        others.add(segment);
        continue;
      }
      segment.take(first);
      nextNumber = Math.max(nextNumber, first.number() + 1);
      LogSegment same = numbered.get(first.number());
      if (same == null || LogScan.isWholer(header, segment, same)) {
        numbered.put(first.number(), segment);
        segment = same;
      }
      if (segment != null) {
        others.add(segment);
      }
    }
  }

  /** Begins a new segment; those that were read stay until the checkpoint is durable. */
  private void begin(List<LogSegment> needed) {
    List<LogSegment> unused = new ArrayList<>(others);
    numbered.values().stream().filter(segment -> !needed.contains(segment)).forEach(unused::add);
    unused.removeIf(
        segment ->
            segment.bytes < state.options.segmentBytes()
                && !segment.equals(next)
                && discard(segment));
    // Where the log tells of later epochs, their records are not to be taken for those to come.
    StoreHeader next = header.withEpoch((losesDamage ? lastEpoch : header.epoch()) + 1);
    state.header = next;
    LogIdentity identity =
        new LogIdentity(
            files,
            state.path,
            header.storeId(),
            next.epoch(),
            header.segmentBytes(),
            state.options.files().flags().contains(FileOption.SECTORS_MAY_TEAR)
                && keeps(Rule.ACKNOWLEDGED_BLOCKS_STAY),
            keeps(Rule.RECORDS_TELL_WHAT_WAS_FORCED));
    state.log =
        new Log(
            identity,
            state.condition,
            new LogSegments(identity, needed, unused, nextFile),
            nextNumber,
            sequence,
            header.checkpoint());
  }

  /** Keeps room for the log of the next recovery, which may find the device full. */
  private void prepareLog() {
    try {
      state.log.prepare();
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        throw failed;
      }
    }
  }

  private boolean discard(LogSegment segment) {
    segment.file.close();
    files.delete(segment.path());
    return true;
  }

  // ---------------------------------------------------------------- replay

  private void replay(Replay replay, List<LogSegment> needed) {
    LogSegment segment = numbered.get(header.logSegment());
    Log.Position last = new Log.Position(header.logSegment(), header.logOffset());
    if (header.epoch() == 0) {
      end = "the store is new";
    } else if (segment != null) {
      last = replay(replay, needed, segment);
    } else if (header.clean()) {
      end = "the store was closed"; // and its file alone is all of it
    } else {
      lose("segment " + header.logSegment() + " of its log is missing, with which it goes on");
    }
    if (keeps(Rule.DAMAGE_TO_FORCED_RECORDS_IS_NOTICED)) {
      LogScan scan = new LogScan(state.path, header, numbered, others);
      String damage = scan.damageAfter(sequence, last);
      lastEpoch = scan.lastEpoch();
      next = scan.next();
      if (damage != null) {
        lose(damage);
      }
    }
  }

  /** Ends the log where it is damaged, if that was asked for. */
  private void lose(String damage) {
    if (!losesDamage) {
      throw new PageFileException(
          state.path, damage + ". " + LogScan.ADVICE, PageFileException.NO_ERRNO);
    }
    end = damage;
  }

  /** Carries out the records from the header's segment on; returns where they end. */
  private Log.Position replay(Replay replay, List<LogSegment> needed, LogSegment from) {
    LogSegment segment = from;
    long number = header.logSegment();
    long offset = header.logOffset();
    long total = bytesFrom(number);
    long done = 0;
    long most = numbered.values().stream().mapToLong(each -> each.bytes).max().orElseThrow();
    try (LogReader reader = new LogReader(header.storeId(), numbered::get, most)) {
      while (segment != null) {
        needed.add(segment);
        offset = replay(replay, segment, reader, offset);
        done += segment.bytes;
        if (!listener.onProgress(done, total)) {
          throw new CancellationException(state.path + ": recovering was cancelled");
        }
        segment = follower(number + 1);
        if (segment != null) {
          number++;
          offset = LogSegment.HEADER_BYTES;
        }
      }
    }
    if (end.isEmpty()) { // Else it is damaged, as was said.
      end = "sequence number %d is not in segment %d".formatted(sequence + 1, number);
    }
    return new Log.Position(number, offset);
  }

  /** Tells whether the log goes on where the header says, with what comes after its checkpoint. */
  private boolean goesOn(LogSegment segment, LogRecord.@Nullable Header record) {
    String contradiction = LogScan.contradiction(header, segment, record);
    if (contradiction == null || !keeps(Rule.DAMAGE_TO_FORCED_RECORDS_IS_NOTICED)) {
      return true;
    }
    lose(contradiction);
    return false;
  }

  /** Returns the bytes of a segment and of those that may follow it. */
  private long bytesFrom(long number) {
    return numbered.values().stream()
        .filter(segment -> segment.number >= number)
        .mapToLong(segment -> segment.bytes)
        .sum();
  }

  /** Returns the segment of a number if its first record is the next one. */
  private @Nullable LogSegment follower(long number) {
    LogSegment segment = numbered.get(number);
    LogSegment.Header first = segment == null ? null : segment.header();
    return first != null && isNext(first.epoch(), first.first()) ? segment : null;
  }

  private boolean isNext(int epoch, long number) {
    return (epoch == header.epoch() || !keeps(Rule.RECORDS_HAVE_AN_EPOCH))
        && (number == sequence + 1 || !keeps(Rule.SEQUENCE_HAS_NO_HOLE));
  }

  private boolean keeps(Rule rule) {
    return state.environment.keeps(rule);
  }

  /** Carries out the records of a segment from an offset on; returns where they end. */
  private long replay(Replay replay, LogSegment segment, LogReader reader, long from) {
    boolean checked = keeps(Rule.RECORDS_HAVE_A_CHECKSUM);
    reader.open(segment, from);
    if (segment.number == header.logSegment() && !goesOn(segment, reader.record(from, checked))) {
      return from;
    }
    long end = from;
    long at = from;
    while (true) {
      LogRecord.Header record = reader.record(at, checked);
      if (record == null
          || !record.isNumbered()
          || !isNext(record.epoch(), record.sequence())
          || LogScan.isLater(header, record.checkpoint())) {
        long next = LogRecord.nextBlock(at);
        if (next == at || next >= segment.bytes) {
          return end;
        }
        at = next;
        continue;
      }
      int payload = reader.payload(at);
      if (record.kind() == LogRecord.NOTE) {
        state.note = Arrays.copyOfRange(reader.bytes(), payload + 1, payload + record.length());
      } else {
        String wrong = replay.add(reader.bytes(), payload, record.length());
        if (wrong != null) {
          lose(
              "the record at offset %d of segment %d of its log is whole, but %s"
                  .formatted(at, segment.number, wrong));
          return end;
        }
      }
      sequence++;
      records++;
      end = reader.end(at, record);
      logBytes += end - at;
      at = end;
    }
  }

  private PageFileException damage(String what) {
    return new PageFileException(
        state.path, what + ": it is damaged, or of another time", PageFileException.NO_ERRNO);
  }

  // ---------------------------------------------------------------- trees

  @Override
  public LongIndex longs(int id) {
    if (index(id) instanceof StoreIndex index) {
      return index.bare();
    }
    throw damage("its log has longs for index " + id + ", which is one of byte strings");
  }

  @Override
  public BytesIndex byteStrings(int id) {
    if (index(id) instanceof StoreBytesIndex index) {
      return index.tree();
    }
    throw damage("its log has byte strings for index " + id + ", which is one of longs");
  }

  @Override
  public void create(Catalogue.Entry made) {
    String name = made.name();
    int id = made.id();
    if (id < state.nextId || id >= IndexStore.MOST_INDEXES || state.indexes.containsKey(name)) {
      throw damage("its log makes index %d, '%s', after %d".formatted(id, name, state.nextId - 1));
    }
    IndexPages index = new IndexPages(made, state.pageBytes());
    checkpoints.reserveFor(index, made.bytes().length);
    state.nextId = id + 1;
    state.indexes.put(name, index);
    try {
      open(index);
    } catch (IllegalArgumentException unknown) {
      throw damage("its log makes index '%s': %s".formatted(name, unknown.getMessage()));
    }
  }

  private OpenIndex index(int id) {
    for (IndexPages index : state.indexes.values()) {
      if (index.id == id) {
        OpenIndex open = state.open.get(index.name);
        return open == null ? open(index) : open;
      }
    }
    throw damage("its log tells of index " + id + ", which it does not have");
  }

  private OpenIndex open(IndexPages index) {
    OpenIndex open = state.openAny(index, new StoreWriter(state, checkpoints));
    state.open.put(index.name, open);
    return open;
  }

  /** Closes the trees, whose pages are written; users open them with whatever variant they like. */
  private void closeTrees() {
    state.open.values().forEach(OpenIndex::closeTree);
    state.open.clear();
  }
}
