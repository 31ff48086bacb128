// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;

/** A {@link TreeMap} of the JDK, whose values are arrays. */
public final class StringMapPeer implements StringPeer {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final TreeMap<String, byte[]> map = new TreeMap<>();

  /** Returns the long that a value begins with. */
  public static long number(byte[] value) {
    return (long) LONG.get(value, 0);
  }

  @Override
  public void put(StringEntries entries, int from, int to) {
    for (int i = from; i < to; i++) {
      map.put(entries.keys().string(i), entries.valueArray(i));
    }
  }

  @Override
  public long get(PackedStrings probes) {
    long sum = 0;
    for (int i = 0; i < probes.count(); i++) {
      byte[] value = map.get(probes.string(i));
      sum += value == null ? 0 : number(value);
    }
    return sum;
  }

  @Override
  public long scan() {
    long sum = 0;
    for (Map.Entry<String, byte[]> entry : map.entrySet()) {
      sum += entry.getKey().length() + number(entry.getValue());
    }
    return sum;
  }

  @Override
  public void close() {
    map.clear();
  }
}
