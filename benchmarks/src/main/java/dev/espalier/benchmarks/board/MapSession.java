// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.Function;

/**
 * Access to a map of Java for many threads, whose keys and values are objects: longs, or arrays of
 * bytes.
 *
 * @param <T> of keys and of values
 */
public final class MapSession<T> implements BoardSession {
  private final ConcurrentMap<T, T> map;
  private final Function<T, Iterator<Map.Entry<T, T>>> from;
  private final Form<T> form;
  private final Runnable commit;

  /**
   * How entries become objects.
   *
   * @param <T> of keys and of values
   */
  private interface Form<T> {
    T key(long entry);

    T value(long word);

    long keyOf(T key);

    long wordOf(T value);
  }

  private static final class Longs implements Form<Long> {
    @Override
    public Long key(long entry) {
      return Setting.key(entry);
    }

    @Override
    public Long value(long word) {
      return word;
    }

    @Override
    public long keyOf(Long key) {
      return key;
    }

    @Override
    public long wordOf(Long value) {
      return value;
    }
  }

  private record Bytes(Coding coding) implements Form<byte[]> {
    @Override
    public byte[] key(long entry) {
      return coding.keyArray(entry);
    }

    @Override
    public byte[] value(long word) {
      return coding.valueArray(word);
    }

    @Override
    public long keyOf(byte[] key) {
      return coding.key(MemorySegment.ofArray(key));
    }

    @Override
    public long wordOf(byte[] value) {
      return coding.word(MemorySegment.ofArray(value));
    }
  }

  private MapSession(
      ConcurrentMap<T, T> map,
      Function<T, Iterator<Map.Entry<T, T>>> from,
      Form<T> form,
      Runnable commit) {
    this.map = map;
    this.from = from;
    this.form = form;
    this.commit = commit;
  }

  /**
   * Returns access to a map of longs.
   *
   * @param from makes an iterator from a key on
   * @param commit ends each change of several entries
   */
  public static BoardSession ofLongs(
      ConcurrentMap<Long, Long> map,
      Function<Long, Iterator<Map.Entry<Long, Long>>> from,
      Runnable commit) {
    return new MapSession<>(map, from, new Longs(), commit);
  }

  /** As {@link #ofLongs}, of a map of arrays. */
  public static BoardSession ofBytes(
      ConcurrentMap<byte[], byte[]> map,
      Function<byte[], Iterator<Map.Entry<byte[], byte[]>>> from,
      Coding coding,
      Runnable commit) {
    return new MapSession<>(map, from, new Bytes(coding), commit);
  }

  /** Returns an iterator over a sorted map, from a key on. */
  public static <T> Iterator<Map.Entry<T, T>> tail(ConcurrentNavigableMap<T, T> map, T from) {
    return map.tailMap(from, true).entrySet().iterator();
  }

  @Override
  public long read(long entry) {
    T value = map.get(form.key(entry));
    return value == null ? Word.ABSENT : form.wordOf(value);
  }

  @Override
  public void write(long entry, long word) {
    map.put(form.key(entry), form.value(word));
  }

  @Override
  public void remove(long entry) {
    map.remove(form.key(entry));
  }

  @Override
  public void scan(long entry, int count, Visitor visitor) {
    Iterator<Map.Entry<T, T>> entries = from.apply(form.key(entry));
    for (int left = count; left > 0 && entries.hasNext(); left--) {
      Map.Entry<T, T> next = entries.next();
      visitor.visit(form.keyOf(next.getKey()), form.wordOf(next.getValue()));
    }
  }

  @Override
  public void writeTogether(long[] entries, long[] words, int count) {
    for (int i = 0; i < count; i++) {
      write(entries[i], words[i]);
    }
    commit.run();
  }

  @Override
  public void removeTogether(long[] entries, int count) {
    for (int i = 0; i < count; i++) {
      remove(entries[i]);
    }
    commit.run();
  }
}
