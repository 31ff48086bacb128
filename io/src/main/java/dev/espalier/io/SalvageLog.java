// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Applies the log of a damaged store to what was saved. What was safe and lies behind damage counts
 * as well: an operation says what a key has from then on, whatever it had before.
 */
final class SalvageLog implements Replay.Indexes {
  /** Numbers that a segment without a first block may have; it is tried which one fits. */
  private static final int MOST_MISSING = 64;

  private final StoreState state;
  private final StoreHeader header;
  private final IndexStore target;
  private final Map<Integer, LongIndex> saved;
  private final Map<Integer, BytesIndex> savedStrings;
  private final List<String> findings;

  /** Indexes that were made after the last checkpoint. */
  private final List<Catalogue.Entry> made = new ArrayList<>();

  private final Set<Integer> unknown = new TreeSet<>();
  private final TreeMap<Long, LogSegment> numbered = new TreeMap<>();
  private final List<LogSegment> others = new ArrayList<>();
  private long sequence;
  private long records;
  private @Nullable String missing;

  /** Up to which sequence number records were safe; -1 while that is not known. */
  private long safe = -1;

  /**
   * Begins.
   *
   * @param target the store into which was saved
   * @param saved its indexes of longs, by their ids in the damaged store; takes those that the log
   *     makes
   * @param savedStrings the same of byte strings
   * @param findings takes what is wrong
   */
  SalvageLog(
      StoreState state,
      IndexStore target,
      Map<Integer, LongIndex> saved,
      Map<Integer, BytesIndex> savedStrings,
      List<String> findings) {
    this.state = state;
    this.target = target;
    this.saved = saved;
    this.savedStrings = savedStrings;
    this.header = state.header;
    this.findings = findings;
    this.sequence = header.sequence();
  }

  /** Returns how many records were carried out. */
  long records() {
    return records;
  }

  /**
   * Carries out what the log tells.
   *
   * @return why later writes may be missing, null if they are not
   */
  @Nullable String replay() {
    try {
      open();
      if (!header.clean() && header.epoch() > 0 && !numbered.containsKey(header.logSegment())) {
        note("segment %d of the log is missing".formatted(header.logSegment()));
      }
      Replay replay = new Replay(this, state.pool.sureBytes());
      attempt(() -> replay(replay));
      attempt(replay::finish); // What was gathered is good, whatever came behind it.
      return missing;
    } finally {
      LogFiles.close(numbered.values());
      LogFiles.close(others);
    }
  }

  private void attempt(Runnable part) {
    try {
      part.run();
    } catch (IllegalStateException | IllegalArgumentException refused) {
      note("its log can't be carried out: " + refused.getMessage());
    }
  }

  // ---------------------------------------------------------------- indexes

  /** Returns the ids of indexes of which the log tells, and which were not saved. */
  Set<Integer> unknown() {
    return unknown;
  }

  /** Returns the indexes that the log has made. */
  List<Catalogue.Entry> made() {
    return made;
  }

  @Override
  public @Nullable LongIndex longs(int id) {
    LongIndex index = saved.get(id);
    if (index == null) {
      noteUnknown(id);
    }
    return index;
  }

  @Override
  public @Nullable BytesIndex byteStrings(int id) {
    BytesIndex index = savedStrings.get(id);
    if (index == null) {
      noteUnknown(id);
    }
    return index;
  }

  private void noteUnknown(int id) {
    if (unknown.add(id)) {
      findings.add("the log writes to index %d, which was not saved".formatted(id));
    }
  }

  /** Makes an index, unless it is refused: then what the log does to it is passed over. */
  @Override
  public void create(Catalogue.Entry entry) {
    String name = entry.name();
    if (target.names().contains(name)) {
      note("the log makes index '%s' again".formatted(name));
      return;
    }
    CodecMarks marks = StoredCodecs.marks(entry.codecs());
    try {
      if (StoredCodecs.areByteStrings(entry.codecs())) {
        savedStrings.put(entry.id(), target.indexes().bytesIndex(name, marks));
      } else {
        saved.put(entry.id(), target.indexes().index(name, state.variant(entry.kind()), marks));
      }
    } catch (IllegalArgumentException refused) {
      note("the log makes index '%s': %s".formatted(name, refused.getMessage()));
      return;
    }
    made.add(entry);
  }

  private void note(String lost) {
    missing = missing == null ? lost : missing;
    findings.add(lost);
  }

  // ---------------------------------------------------------------- segments

  /** Opens all segments of the store. */
  private void open() {
    StoreFiles files = state.environment.files();
    for (Path file : files.beside(state.path)) {
      if (LogFiles.number(state.path, file) >= 0) {
        try {
          take(LogSegment.open(files, file, Access.READ));
        } catch (PageFileException failed) {
          findings.add(failed.getMessage());
        }
      }
    }
    new ArrayList<>(others).forEach(this::findNumber);
  }

  private void take(LogSegment segment) {
    LogSegment.Header first;
    try {
      first = segment.header();
    } catch (PageFileException failed) {
      segment.file.close();
      throw failed;
    }
    if (first == null) {
      others.add(segment);
      return;
    }
    if (first.storeId() != header.storeId()) {
      segment.file.close();
      return;
    }
    segment.take(first);
    LogSegment same = numbered.get(first.number());
    if (same == null || LogScan.isWholer(header, segment, same)) {
      numbered.put(first.number(), segment);
      segment = same;
    }
    if (segment != null) {
      segment.file.close();
    }
  }

  /** Finds out which segment one is whose first block is damaged, by its records. */
  private void findNumber(LogSegment segment) {
    long last = numbered.isEmpty() ? header.logSegment() : numbered.lastKey() + 1;
    long most = Math.min(last, header.logSegment() + MOST_MISSING + numbered.size());
    try (LogReader reader = new LogReader(header.storeId())) {
      for (long number = header.logSegment(); number <= most; number++) {
        if (numbered.containsKey(number)) {
          continue;
        }
        segment.number = number;
        reader.open(segment, LogSegment.HEADER_BYTES);
        if (reader.find(LogSegment.HEADER_BYTES, header.epoch(), header.sequence()) >= 0) {
          others.remove(segment);
          numbered.put(number, segment);
          findings.add(segment.path() + ": its first block is damaged; it is segment " + number);
          return;
        }
      }
    }
    if (!segment.isBlank()) {
      note(segment.path() + ": its first block is damaged, and no record in it can be read");
    }
  }

  // ---------------------------------------------------------------- replay

  private void replay(Replay replay) {
    Log.Position end = new Log.Position(header.logSegment(), header.logOffset());
    try (LogReader reader = new LogReader(header.storeId())) {
      for (LogSegment segment : numbered.tailMap(header.logSegment()).values()) {
        if (segment.number == header.logSegment()) {
          noteContradiction(segment);
        }
        // What the checkpoint has is passed over by its numbers: the header's offset may lie.
        reader.open(segment, LogSegment.HEADER_BYTES);
        long at = reader.find(LogSegment.HEADER_BYTES, header.epoch(), sequence);
        while (at >= 0) {
          LogRecord.Header record = reader.record(at, true);
          if (record == null || !follows(record, end)) {
            return;
          }
          long following = reader.end(at, record);
          if (record.kind() != LogRecord.END) {
            carryOut(replay, reader, at, record);
            end = new Log.Position(segment.number, following);
          }
          at = reader.find(following, header.epoch(), sequence);
        }
      }
    }
    LogScan scan = new LogScan(state.path, header, numbered, others);
    scan.damageAfter(sequence, end);
    if (scan.forced() > sequence) {
      noteLost(scan.forced(), end);
    }
    String lost = scan.damagedFile(end);
    if (lost != null) {
      note(lost);
    }
  }

  private void noteContradiction(LogSegment segment) {
    try (LogReader own = new LogReader(header.storeId())) {
      own.open(segment, header.logOffset());
      String contradiction =
          LogScan.contradiction(header, segment, own.record(header.logOffset(), true));
      if (contradiction != null) {
        note(contradiction);
      }
    }
  }

  /** Tells whether a record counts that is the next one in the log after a place. */
  private boolean follows(LogRecord.Header record, Log.Position end) {
    if (record.epoch() != header.epoch() || LogScan.isLater(header, record.checkpoint())) {
      note(
          ("the log tells of checkpoint %d of epoch %d, but the newest header is that of checkpoint"
                  + " %d of epoch %d")
              .formatted(record.checkpoint(), record.epoch(), header.checkpoint(), header.epoch()));
      return false;
    }
    long first = record.kind() == LogRecord.MARK ? record.sequence() + 1 : record.sequence();
    if (first > sequence + 1) {
      if (safe(end) <= sequence) {
        return false; // Nobody was told that they are safe.
      }
      noteLost(first - 1, end);
    }
    return true;
  }

  private void noteLost(long last, Log.Position end) {
    note(
        "the log is damaged at offset %d of segment %d: records %d to %d are lost"
            .formatted(end.offset(), end.segment(), sequence + 1, last));
  }

  /** Returns up to which sequence number records were safe, as all that follows says. */
  private long safe(Log.Position end) {
    if (safe < 0) {
      LogScan scan = new LogScan(state.path, header, numbered, others);
      scan.damageAfter(sequence, end);
      safe = scan.forced();
    }
    return safe;
  }

  private void carryOut(Replay replay, LogReader reader, long at, LogRecord.Header record) {
    sequence = record.sequence();
    if (record.kind() == LogRecord.MARK) {
      return;
    }
    int payload = reader.payload(at);
    if (record.kind() == LogRecord.NOTE) {
      state.note = Arrays.copyOfRange(reader.bytes(), payload + 1, payload + record.length());
    } else {
      String wrong = replay.add(reader.bytes(), payload, record.length());
      if (wrong != null) {
        note("record %d of the log is whole, but %s".formatted(record.sequence(), wrong));
      }
    }
    records++;
  }
}
