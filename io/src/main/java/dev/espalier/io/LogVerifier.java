// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.Invariants.check;

import java.util.List;

/** Checks the log of an open store: I6 to I8 and I10 of {@link StoreVerifier}. */
final class LogVerifier {
  private final StoreHeader header;
  private final Log log;

  LogVerifier(StoreHeader header, Log log) {
    this.header = header;
    this.log = log;
  }

  /** Checks all; nobody appends, and all records are in their files. */
  void verify() {
    check(
        header.sequence() <= log.appended() && log.forced() <= log.appended(),
        "I10",
        "the checkpoint has all up to %d, durable is all up to %d, but the last record is %d",
        header.sequence(),
        log.forced(),
        log.appended());
    List<LogSegment> segments = log.used();
    long number = segments.getFirst().number;
    for (LogSegment segment : segments) {
      check(
          segment.number == number,
          "I8",
          "segment %d of the log should be %d",
          segment.number,
          number);
      verifyFirst(segment);
      number++;
    }
    long first = header.logSegment();
    check(
        segments.getFirst().number <= first && first < number,
        "I6",
        "the log should go on in segment %d, but has segments %d to %d",
        first,
        segments.getFirst().number,
        number - 1);
    verifyRecords(segments);
  }

  private void verifyFirst(LogSegment segment) {
    LogSegment.Header stated = segment.header();
    boolean isRight =
        stated != null
            && stated.number() == segment.number
            && stated.storeId() == header.storeId()
            && stated.epoch() == header.epoch();
    check(isRight, "I8", "the first block of segment %d says %s", segment.number, stated);
  }

  private void verifyRecords(List<LogSegment> segments) {
    long sequence = header.sequence();
    for (LogSegment segment : segments) {
      if (segment.number >= header.logSegment()) {
        long from =
            segment.number == header.logSegment() ? header.logOffset() : LogSegment.HEADER_BYTES;
        sequence = verifyRecords(segment, from, sequence);
      }
    }
    check(
        sequence == log.appended(),
        "I7",
        "the last record is %d, but in the file %d is",
        log.appended(),
        sequence);
  }

  /** Checks the records of a segment from an offset on; returns the number of the last one. */
  private long verifyRecords(LogSegment segment, long from, long before) {
    try (LogReader reader = new LogReader(header.storeId())) {
      reader.open(segment, from);
      return verifyRecords(segment, reader, from, before);
    }
  }

  private long verifyRecords(LogSegment segment, LogReader reader, long from, long before) {
    long sequence = before;
    long at = from;
    while (sequence < log.appended()) {
      LogRecord.Header record = reader.record(at, true);
      if (record == null) {
        long next = LogRecord.nextBlock(at);
        if (next == at) {
          return sequence;
        }
        at = next;
        continue;
      }
      check(
          record.epoch() == header.epoch() && record.sequence() == sequence + 1,
          "I7",
          "the record at %d of segment %d has epoch %d and number %d, not %d and %d",
          at,
          segment.number,
          record.epoch(),
          record.sequence(),
          header.epoch(),
          sequence + 1);
      if (record.kind() == LogRecord.END) {
        return sequence;
      }
      check(
          record.forced() <= sequence && record.forced() <= log.forced(),
          "I7",
          "the record at %d of segment %d says that all up to %d is forced",
          at,
          segment.number,
          record.forced());
      int ahead = record.checkpoint() - (int) header.checkpoint() & 0xffffff;
      check(
          ahead == 0 || ahead >= 1 << 23,
          "I7",
          "the record at %d of segment %d tells of a checkpoint after %d",
          at,
          segment.number,
          header.checkpoint());
      sequence++;
      at = reader.end(at, record);
    }
    return sequence;
  }
}
