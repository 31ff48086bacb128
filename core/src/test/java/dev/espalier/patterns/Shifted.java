// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

/** The keys of a target, moved: so patterns meet what others left at other places. */
record Shifted(PatternTarget target, long by) implements PatternTarget {

  @Override
  public long get(long key) {
    return target.get(key + by);
  }

  @Override
  public void put(long key, long value) {
    target.put(key + by, value);
  }

  @Override
  public void remove(long key) {
    target.remove(key + by);
  }

  @Override
  public long first() {
    long first = target.first();
    return first == NONE ? NONE : first - by;
  }

  @Override
  public long scan(long from, int count) {
    return target.scan(from + by, count) - by;
  }

  @Override
  public void removeRange(long from, long to) {
    target.removeRange(from + by, to + by);
  }

  @Override
  public void close() {
    target.close();
  }
}
