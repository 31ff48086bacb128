// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static dev.espalier.threads.LincheckOperations.MISSING;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each of {@link LincheckOperations} does when it is called alone, by a {@link HashMap}. */
public final class LincheckModel {
  private final Map<Integer, Long> map = new HashMap<>();

  public long get(int key) {
    return map.getOrDefault(key, MISSING);
  }

  public boolean containsKey(int key) {
    return map.containsKey(key);
  }

  public long getAll(int key) {
    return get(key);
  }

  public void putAll(int key, int value) {
    put(key, value);
  }

  public void set(int key, int value) {
    put(key, value);
  }

  public void delete(int key) {
    remove(key);
  }

  public boolean insert(int key, int value) {
    return putIfAbsent(key, value) == null;
  }

  public boolean replaceIf(int key, int expected, int value) {
    return map.replace(key, (long) expected, (long) value);
  }

  public boolean removeIf(int key, int expected) {
    return map.remove(key, (long) expected);
  }

  public long mergeLongs(int key, int value) {
    store(key, map.getOrDefault(key, 0L) + value);
    return get(key);
  }

  public long computeLongs(int key) {
    compute(key);
    return get(key);
  }

  public @Nullable Long put(int key, int value) {
    return map.put(key, (long) value);
  }

  public @Nullable Long remove(int key) {
    return map.remove(key);
  }

  public @Nullable Long putIfAbsent(int key, int value) {
    return map.putIfAbsent(key, (long) value);
  }

  public @Nullable Long replace(int key, int value) {
    return map.replace(key, (long) value);
  }

  public boolean replaceInMap(int key, int expected, int value) {
    return replaceIf(key, expected, value);
  }

  public boolean removeFromMap(int key, int expected) {
    return removeIf(key, expected);
  }

  public @Nullable Long compute(int key) {
    Long value = map.get(key);
    Long next = value == null ? Long.valueOf(0) : value > 1 ? null : value + 1;
    return store(key, next);
  }

  public @Nullable Long computeIfAbsent(int key, int value) {
    return map.computeIfAbsent(key, _ -> (long) value);
  }

  public @Nullable Long computeIfPresent(int key) {
    Long value = map.get(key);
    return value == null ? null : store(key, value > 1 ? null : value + 1);
  }

  public @Nullable Long merge(int key, int value) {
    return store(key, map.getOrDefault(key, 0L) + value);
  }

  private @Nullable Long store(int key, @Nullable Long value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
    return value;
  }

  // Lincheck tells states apart by these.

  @Override
  public boolean equals(Object other) {
    return other instanceof LincheckModel model && map.equals(model.map);
  }

  @Override
  public int hashCode() {
    return map.hashCode();
  }
}
