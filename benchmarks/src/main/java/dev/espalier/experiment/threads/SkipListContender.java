// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.LongEntrySource;
import dev.espalier.experiment.Entries;
import java.util.concurrent.ConcurrentSkipListMap;

/** The sorted map for many threads that the JDK has. */
final class SkipListContender implements Contender {
  static final String LABEL = "ConcurrentSkipListMap";

  private final ConcurrentSkipListMap<Long, Long> map = new ConcurrentSkipListMap<>();

  SkipListContender(int entries) {
    for (LongEntrySource source = Entries.ascending(entries); source.next(); ) {
      map.put(source.key(), source.value());
    }
  }

  @Override
  public String label() {
    return LABEL;
  }

  @Override
  public long run(Operations operations, int from, int to) {
    long wrong = 0;
    for (int i = from; i < to; i++) {
      Long key = operations.key(i);
      if (operations.isGet(i)) {
        Long value = map.get(key);
        wrong += value != null && value == operations.rank(i) ? 0 : 1;
      } else if (operations.isPut(i)) {
        map.put(key, key);
      } else {
        map.remove(key);
      }
    }
    return wrong;
  }

  @Override
  public void close() {}
}
