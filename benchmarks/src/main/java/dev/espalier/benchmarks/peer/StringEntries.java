// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.experiment.bytes.KeyKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Entries with strings for keys, in random order: as many of each {@link KeyKind}. A value begins
 * with a long that follows from the number of its entry, so that every answer can be checked; what
 * comes after it can't be compressed.
 */
public final class StringEntries {
  private static final int SEED = 7;
  private static final int NOISE_BYTES = 1 << 20;

  /** Odd, so that values begin all over the noise. */
  private static final long STRIDE = 8191;

  private final PackedStrings keys;
  private final int valueBytes;
  private final MemorySegment noise;

  private StringEntries(PackedStrings keys, int valueBytes) {
    if (valueBytes < Long.BYTES) {
      throw new IllegalArgumentException(
          "values have " + valueBytes + " bytes; they must have at least " + Long.BYTES);
    }
    this.keys = keys;
    this.valueBytes = valueBytes;
    noise = Arena.ofAuto().allocate(NOISE_BYTES + (long) valueBytes);
    SplittableRandom random = new SplittableRandom(SEED);
    for (long at = 0; at < noise.byteSize(); at++) {
      noise.set(JAVA_BYTE, at, (byte) random.nextInt());
    }
  }

  /**
   * Makes entries.
   *
   * @throws IllegalArgumentException if values are shorter than a long
   */
  public static StringEntries draw(int count, int valueBytes) {
    KeyKind[] kinds = KeyKind.values();
    String[] drawn = new String[count];
    int at = 0;
    for (int i = 0; i < kinds.length; i++) {
      int some = (count - at) / (kinds.length - i);
      System.arraycopy(kinds[i].draw(some), 0, drawn, at, some);
      at += some;
    }
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      String moved = drawn[i];
      drawn[i] = drawn[other];
      drawn[other] = moved;
    }
    return new StringEntries(new PackedStrings(drawn), valueBytes);
  }

  /** Returns entries with the same keys, and values of another length. */
  public StringEntries withValueBytes(int bytes) {
    return new StringEntries(keys, bytes);
  }

  /** Returns how many there are. */
  public int count() {
    return keys.count();
  }

  /** Returns the keys. */
  public PackedStrings keys() {
    return keys;
  }

  /** Returns the bytes of each value. */
  public int valueBytes() {
    return valueBytes;
  }

  /** Returns the bytes of the keys and values of the first entries. */
  public long ownBytes(int count) {
    return keys.offset(count) + (long) valueBytes * count;
  }

  /** Returns the long that the value of entry {@code i} begins with. */
  public static long number(int i) {
    return WorkKeys.value(WorkKeys.key(i));
  }

  /** Writes the value of entry {@code i}. */
  public void writeValue(int i, MemorySegment into) {
    into.set(JAVA_LONG_UNALIGNED, 0, number(i));
    long from = i * STRIDE & NOISE_BYTES - 1;
    MemorySegment.copy(noise, from, into, Long.BYTES, valueBytes - Long.BYTES);
  }

  /** Returns a new array with the value of entry {@code i}. */
  public byte[] valueArray(int i) {
    byte[] value = new byte[valueBytes];
    writeValue(i, MemorySegment.ofArray(value));
    return value;
  }

  /** Returns the sum of all {@linkplain #number numbers} and of the bytes of all keys. */
  public long sum() {
    long sum = keys.offset(count());
    for (int i = 0; i < count(); i++) {
      sum += number(i);
    }
    return sum;
  }

  /** Returns random keys, other objects than those of the entries. */
  public StringProbes probes(SplittableRandom random, int count) {
    return probes(random, count(), count);
  }

  /** As {@link #probes(SplittableRandom, int)}, of the first {@code some} entries. */
  public StringProbes probes(SplittableRandom random, int some, int count) {
    String[] probes = new String[count];
    long sum = 0;
    for (int i = 0; i < count; i++) {
      int entry = random.nextInt(some);
      // Strings from outside are other objects than those in a map.
      probes[i] = String.valueOf(keys.string(entry).toCharArray());
      sum += number(entry);
    }
    return new StringProbes(new PackedStrings(probes), sum);
  }
}
