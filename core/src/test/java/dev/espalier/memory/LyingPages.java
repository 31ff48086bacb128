// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Changes numbers of pages in use, one page at a time, and makes the page sound again. */
public final class LyingPages {
  private static final int[] EXTREMES = {
    0, 1, -1, 255, 65_535, Short.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE
  };

  private final PageStore memory;
  private final byte[] sound;
  private final Random random;
  private long page;

  /** Lies about the pages of a store in memory. */
  public LyingPages(MemoryPageStore memory, Random random) {
    this.memory = memory;
    this.sound = new byte[memory.pageBytes()];
    this.random = random;
  }

  /** Changes a few numbers of some page in use. */
  public void lie() {
    int number;
    do {
      number = 1 + random.nextInt(memory.pagesInUse());
    } while (!memory.isInUse(number));
    page = memory.pin(number);
    MemorySegment.copy(memory.segment(), ValueLayout.JAVA_BYTE, page, sound, 0, sound.length);
    for (int n = random.nextInt(3); n >= 0; n--) {
      int room = random.nextBoolean() ? 32 : sound.length - PageStore.RESERVED_BYTES;
      long offset = page + PageStore.RESERVED_BYTES + random.nextInt(room / 4) * 4L;
      int lie =
          random.nextBoolean() ? EXTREMES[random.nextInt(EXTREMES.length)] : random.nextInt(300);
      memory.segment().set(ValueLayout.JAVA_INT, offset, lie);
    }
  }

  /** Undoes the last lie. */
  public void undo() {
    MemorySegment.copy(sound, 0, memory.segment(), ValueLayout.JAVA_BYTE, page, sound.length);
  }
}
