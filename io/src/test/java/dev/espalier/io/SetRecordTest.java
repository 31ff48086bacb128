// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-too")
class SetRecordTest {
  private static final int AT = 64;

  private static long draw(SplittableRandom random) {
    return random.nextInt(3) == 0 ? -random.nextInt(2) : random.nextLong() >> random.nextInt(64);
  }

  @Test
  void isReadAsARecordWithOneWriteAndEveryChangedByteIsFound() {
    SplittableRandom random = new SplittableRandom(1);
    SetRecord record = new SetRecord();
    for (int round = 0; round < 2_000; round++) {
      byte[] segment = new byte[AT + SetRecord.BYTES];
      long storeId = draw(random);
      long number = draw(random);
      long sequence = draw(random);
      int epoch = (int) draw(random);
      long checkpoint = draw(random);
      long behind = random.nextInt(4) == 0 ? 1L << 32 : 1 + random.nextInt(1 << random.nextInt(31));
      long forced = sequence - behind;
      int index = random.nextInt(IndexStore.MOST_INDEXES);
      long key = draw(random);
      long value = draw(random);
      record.place(storeId, number, AT);
      record.writeTo(
          MemorySegment.ofArray(segment),
          AT,
          sequence,
          epoch,
          checkpoint,
          forced,
          index,
          key,
          value);
      LogRecord.Header expected =
          new LogRecord.Header(
              LogRecord.MOST_OPERATION_BYTES,
              sequence,
              epoch,
              LogRecord.BATCH,
              (int) checkpoint & 0xffffff,
              behind == 1L << 32 ? 0 : forced);
      LogRecord.Place place = new LogRecord.Place(storeId, number);
      assertEquals(expected, LogRecord.read(segment, AT, place));
      int payload = AT + LogRecord.HEADER_BYTES;
      assertEquals(LogRecord.SET, segment[payload]);
      assertEquals(index, LogRecord.indexAt(segment, payload + 1));
      assertEquals(key, LogRecord.longAt(segment, payload + 3));
      assertEquals(value, LogRecord.longAt(segment, payload + 11));
      assertNull(LogRecord.read(segment, AT, new LogRecord.Place(storeId + 1, number)));
      segment[AT + random.nextInt(LogRecord.HEADER_BYTES + expected.length())]++;
      assertNull(LogRecord.read(segment, AT, place));
    }
  }
}
