// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.CompositeKey;
import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.TypedIndex;
import dev.espalier.family.Indexes;

class CacheWithExpiry {
  private static final CompositeKey KEY = CompositeKey.of(32, 32); // a time and a page
  private final TypedIndex<Integer, String> pages =
      Indexes.createBytes().typed(BytesKeyCodec.ofInt(), BytesValueCodec.ofString());
  private final LongIndex ends = Indexes.create(); // when each page expires
  private final LongIndex byEnd = Indexes.create(); // the same, in the order of time

  void put(int page, String text, int end) {
    pages.set(page, text);
    ends.set(page, end);
    byEnd.set(KEY.encode(end, page), page);
  }

  void expire(int now) {
    LongEntry due = new LongEntry();
    while (byEnd.headView(KEY.greatest(now), true).pollFirst(due)) {
      if (ends.remove(due.value(), KEY.part(due.key(), 0))) { // unless put again since
        pages.delete((int) due.value());
      }
    }
  }

  public static void main(String[] args) {
    CacheWithExpiry cache = new CacheWithExpiry();
    cache.put(1, "news", 60);
    cache.put(3, "weather", 90);
    cache.put(1, "more news", 120);
    cache.expire(100);
    System.out.println(cache.pages.asMap());
  }
}
