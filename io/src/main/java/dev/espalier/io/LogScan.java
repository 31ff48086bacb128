// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks behind the place where a log ends for what no crash leaves there. A crash leaves any part
 * of what was not forced, and all of what was: whole records behind a hole mean nothing, unless one
 * of them, or the header, says that the hole was forced.
 */
final class LogScan {
  /** What an exception advises. */
  static final String ADVICE =
      "`./espalier salvage` saves what can still be read; opening it with"
          + " FileOption.LOSE_DAMAGED_LOG, as `./espalier recover --lose-damaged-log` does, goes on"
          + " without what follows the damage";

  private final Path store;
  private final StoreHeader header;
  private final Map<Long, LogSegment> numbered;
  private final List<LogSegment> others;

  /** The first record behind the end, in the order of segments and offsets. */
  private @Nullable Later first;

  /** The record behind the end that calls the most forced. */
  private @Nullable Later proof;

  /** A record, or the first block of a segment, that is later than the header. */
  private @Nullable String laterThanHeader;

  private int lastEpoch;

  /** What the last record of the segment in which the log ends says of the next one. */
  private @Nullable Next next;

  /**
   * The segment that follows the one in which the log ends.
   *
   * @param number of its file
   * @param bytes with which it was made
   */
  private record Next(int number, long bytes) {}

  /**
   * A record behind the end.
   *
   * @param segment number of the segment in which it is, which may be guessed
   * @param file that has it
   */
  record Later(long segment, Path file, long offset, LogRecord.Header record) {
    @Override
    public String toString() {
      return "record %d at offset %d of segment %d (%s)"
          .formatted(record.sequence(), offset, segment, file.getFileName());
    }
  }

  /**
   * Takes what there is.
   *
   * @param store its path
   * @param header that counts
   * @param numbered the segments of the store, by the numbers in their first blocks
   * @param others those whose first blocks are not whole
   */
  LogScan(Path store, StoreHeader header, Map<Long, LogSegment> numbered, List<LogSegment> others) {
    this.store = store;
    this.header = header;
    this.numbered = numbered;
    this.others = others;
    this.lastEpoch = header.epoch();
  }

  /** Returns the latest epoch of which anything was found. */
  int lastEpoch() {
    return lastEpoch;
  }

  /** Returns up to which sequence number all was forced, by the header and what was found. */
  long forced() {
    return proof == null ? header.forced() : Math.max(header.forced(), proof.record.forced());
  }

  /**
   * Looks at all that follows the end of the log.
   *
   * @param sequence number of the last record
   * @param end where the next one would be
   * @return what is damaged, null if a crash may have left it so
   */
  @Nullable String damageAfter(long sequence, Log.Position end) {
    numbered.values().forEach(this::lookAtFirstBlock);
    String found = damageBehind(sequence, end);
    return found == null ? damagedFile(end) : found;
  }

  /**
   * Returns which file has lost bytes that may have been needed and of which no later record tells;
   * null if none has. {@link #damageAfter} has looked at the records.
   */
  @Nullable String damagedFile(Log.Position end) {
    if (header.clean()) {
      return null;
    }
    String cutOff = cutOff();
    return cutOff == null ? missingNext(end) : cutOff;
  }

  /** Returns the file of the segment into which the log went on from its end, null if none is. */
  @Nullable LogSegment next() {
    Next named = next;
    return named == null
        ? null
        : Stream.concat(numbered.values().stream(), others.stream())
            .filter(segment -> LogFiles.number(store, segment.path()) == named.number)
            .findFirst()
            .orElse(null);
  }

  /**
   * Returns what is wrong with the file into which the log went on from its end, null if nothing
   * is. It was made and safe before that, so no crash takes it away. Its records may have been safe
   * as well; where they were not, the file is there.
   */
  private @Nullable String missingNext(Log.Position end) {
    Next named = next;
    LogSegment segment = next();
    if (named == null || (segment != null && segment.bytes >= named.bytes)) {
      return null;
    }
    return "its log goes on after segment %d in a segment of %d bytes (%s), which %s"
        .formatted(
            end.segment(),
            named.bytes,
            LogFiles.path(store, named.number).getFileName(),
            segment == null ? "is missing" : "has %d bytes".formatted(segment.file.bytes()));
  }

  /**
   * Returns which segment that may be needed is shorter than it was made, null if none is. Its end
   * may have had records, and no other file tells of the last ones.
   */
  private @Nullable String cutOff() {
    for (LogSegment segment : segmentsFrom(header.logSegment())) {
      LogSegment.Header stated = segment.header();
      if (stated != null
          && stated.epoch() == header.epoch()
          && stated.number() == segment.number
          && stated.bytes() > segment.bytes) {
        return "segment %d of its log (%s) has %d bytes, but had %d when it was made"
            .formatted(
                segment.number, segment.path().getFileName(), segment.file.bytes(), stated.bytes());
      }
    }
    return null;
  }

  private @Nullable String damageBehind(long sequence, Log.Position end) {
    try (LogReader reader = new LogReader(header.storeId())) {
      for (LogSegment segment : segmentsFrom(end.segment())) {
        boolean isLast = segment.number == end.segment();
        scan(reader, segment, isLast ? end.offset() : 0, sequence, isLast);
      }
      if (!numbered.containsKey(end.segment() + 1)) {
        scanUnknown(reader, end.segment() + 1, sequence);
      }
    }
    if (laterThanHeader != null) {
      return ("its newest header is that of checkpoint %d, of epoch %d, but %s: the file, or its"
              + " header, is older than its log")
          .formatted(header.checkpoint(), header.epoch(), laterThanHeader);
    }
    if (forced() <= sequence) {
      return null;
    }
    return ("its log is damaged at offset %d of segment %d%s: the last good record is %d, but all"
            + " up to %d were safe, as %s says; %s")
        .formatted(
            end.offset(),
            end.segment(),
            name(end.segment()),
            sequence,
            forced(),
            proof == null || proof.record.forced() < header.forced() ? "its header" : proof,
            first == null ? "no later record is left" : "the first later one is " + first);
  }

  private String name(long number) {
    LogSegment segment = numbered.get(number);
    return segment == null ? "" : " (" + segment.path().getFileName() + ")";
  }

  private List<LogSegment> segmentsFrom(long number) {
    return numbered.values().stream()
        .filter(segment -> segment.number >= number)
        .sorted(Comparator.comparingLong(segment -> segment.number))
        .toList();
  }

  /** Only a checkpoint that is durable begins a segment, and only recovery one of another epoch. */
  private void lookAtFirstBlock(LogSegment segment) {
    LogSegment.Header stated = segment.header();
    if (stated == null) {
      return;
    }
    noteEpoch(stated.epoch());
    if (stated.checkpoint() > header.checkpoint() || stated.epoch() - header.epoch() > 1) {
      noteLater(
          "segment %d (%s) is of checkpoint %d, of epoch %d"
              .formatted(
                  stated.number(),
                  segment.path().getFileName(),
                  stated.checkpoint(),
                  stated.epoch()));
    }
  }

  private void noteEpoch(int epoch) {
    if (epoch - lastEpoch > 0) {
      lastEpoch = epoch;
    }
  }

  private void noteLater(String what) {
    if (laterThanHeader == null) {
      laterThanHeader = what;
    }
  }

  /** Tells which of two segments of one number counts: that of the epoch, with more records. */
  static boolean isWholer(StoreHeader header, LogSegment segment, LogSegment other) {
    return lastSequence(header, segment) > lastSequence(header, other);
  }

  /**
   * Returns the sequence number of the last of the records with which a segment begins; -1 if it is
   * of another epoch than the header, or has none.
   */
  private static long lastSequence(StoreHeader header, LogSegment segment) {
    LogSegment.Header stated = segment.header();
    if (stated == null || stated.epoch() != header.epoch()) {
      return -1;
    }
    long last = -1;
    try (LogReader reader = new LogReader(header.storeId())) {
      long at = LogSegment.HEADER_BYTES;
      reader.open(segment, at);
      for (LogRecord.Header record = reader.record(at, true); record != null; ) {
        last = record.sequence();
        at = reader.end(at, record);
        record = reader.record(at, true);
      }
    }
    return last;
  }

  private void scan(
      LogReader reader, LogSegment segment, long from, long sequence, boolean isLast) {
    long at = Math.max(from, LogSegment.HEADER_BYTES) & -LogRecord.ALIGNMENT;
    reader.open(segment, at);
    while (at >= 0 && at < segment.bytes) {
      at = reader.find(at, header.epoch(), sequence);
      LogRecord.Header record = at < 0 ? null : reader.record(at, true);
      if (record == null) {
        return;
      }
      note(new Later(segment.number, segment.path(), at, record));
      if (isLast && record.isEnd() && record.epoch() == header.epoch()) {
        int told = reader.payload(at);
        next =
            new Next(
                LogRecord.intAt(reader.bytes(), told),
                LogRecord.longAt(reader.bytes(), told + Integer.BYTES));
      }
      at = reader.end(at, record);
    }
  }

  private void note(Later found) {
    LogRecord.Header record = found.record;
    noteEpoch(record.epoch());
    if (record.epoch() != header.epoch() || isLater(header, record.checkpoint())) {
      noteLater(
          "%s is of checkpoint %d, of epoch %d"
              .formatted(found, record.checkpoint(), record.epoch()));
      return;
    }
    if (first == null && record.isNumbered()) {
      first = found;
    }
    if (proof == null || record.forced() > proof.record.forced()) {
      proof = found;
    }
  }

  /**
   * Returns what contradicts a header, null if nothing does: where the log goes on after it is a
   * segment of its epoch with the record after its last one, or with none yet.
   *
   * @param segment that the header names
   * @param record what is at the header's offset, null if nothing whole is
   */
  static @Nullable String contradiction(
      StoreHeader header, LogSegment segment, LogRecord.@Nullable Header record) {
    LogSegment.Header stated = segment.header();
    if (stated != null && stated.epoch() != header.epoch()) {
      return ("its header is of epoch %d, but segment %d of its log (%s), where that goes on, is of"
              + " epoch %d")
          .formatted(
              header.epoch(), header.logSegment(), segment.path().getFileName(), stated.epoch());
    }
    return record == null
            || record.kind() == LogRecord.MARK
            || record.epoch() != header.epoch()
            || record.sequence() == header.sequence() + 1
        ? null
        : ("its header says that record %d follows at offset %d of segment %d of its log (%s), but"
                + " record %d is there")
            .formatted(
                header.sequence() + 1,
                header.logOffset(),
                header.logSegment(),
                segment.path().getFileName(),
                record.sequence());
  }

  /** Tells whether the low bits of a checkpoint's number say that it is later than a header's. */
  static boolean isLater(StoreHeader header, int low) {
    int ahead = low - (int) header.checkpoint() & 0xffffff;
    return ahead != 0 && ahead < 1 << 23;
  }

  /** Scans segments of which the first block does not say that they have a number. */
  private void scanUnknown(LogReader reader, long number, long sequence) {
    for (LogSegment segment : others) {
      scanAs(reader, segment, number, sequence);
    }
    for (LogSegment old : numbered.values()) {
      if (old.number < header.logSegment()) {
        scanAs(reader, old, number, sequence);
      }
    }
  }

  private void scanAs(LogReader reader, LogSegment segment, long number, long sequence) {
    long stated = segment.number;
    segment.number = number;
    scan(reader, segment, 0, sequence, false);
    segment.number = stated;
  }
}
