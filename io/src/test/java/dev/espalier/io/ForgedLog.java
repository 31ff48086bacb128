// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/** A segment of a log, of which bytes are changed so that every checksum fits. */
final class ForgedLog {
  private static final int FIRST_RECORD = 4096;
  private static final int HEADER_BYTES = 56;
  private static final int HEADER_CHECKSUM = 12;
  private static final int STORE_ID = 16;
  private static final int NUMBER = 24;
  private static final int RECORD_CHECKSUM = 4;

  private static final long[] EXTREMES = {
    0,
    1,
    2,
    3,
    -1,
    8,
    255,
    65_535,
    Short.MAX_VALUE,
    Short.MIN_VALUE,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE - 27,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private final Path path;
  private final ByteBuffer bytes;
  private final List<Integer> records = new ArrayList<>();

  ForgedLog(Path path) throws IOException {
    this.path = path;
    this.bytes = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
    int at = FIRST_RECORD;
    while (at + LogRecord.HEADER_BYTES < bytes.capacity() && bytes.getInt(at) > 0) {
      records.add(at);
      int end = at + LogRecord.HEADER_BYTES + bytes.getInt(at);
      at = Math.ceilDiv(end, LogRecord.ALIGNMENT) * LogRecord.ALIGNMENT;
    }
  }

  /** Changes a few bytes of the first block or of a record. Returns what was changed. */
  String forge(Random random) throws IOException {
    StringBuilder what = new StringBuilder(path.getFileName().toString());
    boolean ofHeader = records.isEmpty() || random.nextInt(8) == 0;
    int record = ofHeader ? 0 : records.get(random.nextInt(records.size()));
    int room = ofHeader ? HEADER_BYTES : LogRecord.HEADER_BYTES + bytes.getInt(record);
    what.append(ofHeader ? ", its first block:" : ", record at " + record + ":");
    for (int n = random.nextInt(3); n >= 0; n--) {
      what.append(change(record, room, random));
    }
    if (ofHeader) {
      bytes.putInt(HEADER_CHECKSUM, checksum(HEADER_CHECKSUM, HEADER_BYTES, 0, new byte[0]));
    } else {
      sealRecord(record);
    }
    Files.write(path, bytes.array());
    return what.toString();
  }

  /** Gives the first operation of the last batch a kind; returns whether there is a batch. */
  boolean forgeLastBatch(int kind) throws IOException {
    for (int record : records.reversed()) {
      if (bytes.get(record + 20) == LogRecord.BATCH) {
        bytes.put(record + LogRecord.HEADER_BYTES, (byte) kind);
        sealRecord(record);
        Files.write(path, bytes.array());
        return true;
      }
    }
    return false;
  }

  /** A record whose length leads out of the segment has no checksum that could fit. */
  private void sealRecord(int record) {
    long end = (long) record + LogRecord.HEADER_BYTES + bytes.getInt(record);
    if (end > record + RECORD_CHECKSUM + Integer.BYTES && end <= bytes.capacity()) {
      ByteBuffer seed = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
      seed.putLong(bytes.getLong(STORE_ID)).putLong(bytes.getLong(NUMBER)).putLong(record);
      int length = (int) end - record;
      bytes.putInt(
          record + RECORD_CHECKSUM, checksum(RECORD_CHECKSUM, length, record, seed.array()));
    }
  }

  /** Returns the checksum of bytes, without that of it at an offset. */
  private int checksum(int without, int length, int from, byte[] seed) {
    CRC32C crc = new CRC32C();
    crc.update(seed);
    crc.update(bytes.array(), from, without);
    int rest = without + Integer.BYTES;
    crc.update(bytes.array(), from + rest, length - rest);
    return (int) crc.getValue();
  }

  /** Changes a field of some width, mostly one near the beginning. */
  private String change(int base, int room, Random random) {
    int width = 1 << random.nextInt(4);
    int reach = random.nextInt(3) > 0 ? Math.min(room, 40) : room;
    int offset = random.nextInt(Math.max(1, reach - width + 1));
    return ForgedField.change(bytes, base, offset, width, EXTREMES, random);
  }
}
