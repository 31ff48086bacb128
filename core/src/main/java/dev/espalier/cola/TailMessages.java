// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.lang.foreign.MemorySegment;

/** The last messages of level 0, which are there in the order they came in: sorted, newest kept. */
final class TailMessages extends MessageStream {

  TailMessages() {
    super(TopPage.TAIL);
  }

  /** Reads the messages in {@code count} slots of a page. */
  void load(ElementPage layout, MemorySegment pages, long page, int from, int count) {
    int kept = 0;
    boolean onlyPuts = true;
    for (int i = from; i < from + count; i++) {
      long key = layout.key(pages, page, i);
      int place = kept;
      while (place > 0 && keys[place - 1] > key) {
        place--;
      }
      if (place == 0 || keys[place - 1] != key) {
        System.arraycopy(keys, place, keys, place + 1, kept - place);
        System.arraycopy(values, place, values, place + 1, kept - place);
        System.arraycopy(puts, place, puts, place + 1, kept - place);
        keys[place++] = key;
        kept++;
      }
      values[place - 1] = layout.value(pages, page, i);
      puts[place - 1] = ElementPage.isPut(pages, page, i);
      onlyPuts &= puts[place - 1];
    }
    begin(kept, onlyPuts);
  }

  @Override
  boolean refill() {
    return begin(0, true);
  }
}
