// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/** One batch of records, for entries of which there are some already: stored in sorted order. */
final class RestoreBatch implements RestoreTarget {
  private final Map<Entries, SortedMap<Bytes, Optional<byte[]>>> records = new HashMap<>();

  @Override
  public void add(Entries entries, byte[] key, byte @Nullable [] value) {
    records
        .computeIfAbsent(entries, _ -> new TreeMap<>())
        .put(Bytes.wrap(key), Optional.ofNullable(value));
  }

  @Override
  public void forget(Entries entries) {
    records.remove(entries);
  }

  void store() {
    records.forEach(Entries::restore);
  }
}
