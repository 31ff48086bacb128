// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one file on a {@link SimulatedDisk}: as processes see them, and what may be left of
 * them after a power loss.
 *
 * <p>At a power loss each sector of 512 bytes that was written since the last force is, on its own,
 * as it was when it was forced or as any write since then left it. The length is that of the last
 * force, changed by any of the growths and truncations since then. What was never kept is zeros.
 *
 * <p>Not simulated: a page cache whose pages are larger than a sector, where writing one sector
 * writes its neighbours once more.
 */
final class SimulatedFile {
  static final int SECTOR = 512;

  /** One in so many unforced sectors is garbage, where there are such. */
  private static final int GARBAGE_RARITY = 4;

  private static final byte[] ZEROS = new byte[SECTOR];

  /** What a sector may hold after a power loss, beside what processes see. */
  private static final class Unforced {
    /** What it holds on the device for certain. */
    byte[] safe;

    /** Written since then, in this order; the last is what processes see. */
    final List<byte[]> written = new ArrayList<>(1);

    Unforced(byte[] safe) {
      this.safe = safe;
    }

    /** Tells whether it was not written, but the page cache shows what a failed force has lost. */
    boolean isStale() {
      return written.isEmpty();
    }
  }

  /** A growth or a truncation. */
  private record Resizing(long from, long to) {
    long applyTo(long bytes) {
      return to > from ? Math.max(bytes, to) : Math.min(bytes, to);
    }
  }

  /** Sectors as processes see them; null is zeros. No array changes once it is in here. */
  private byte[] @Nullable [] seen = new byte[64][];

  private long length;
  private long safeLength;
  private final List<Resizing> resizings = new ArrayList<>();

  /** By number of the sector; in this order random numbers are drawn. */
  private final Map<Integer, Unforced> unforced = new LinkedHashMap<>();

  /** Returns the length in bytes that processes see. */
  long length() {
    return length;
  }

  /** Returns the greatest length in bytes that the file may have after a power loss. */
  long greatestLength() {
    long greatest = Math.max(length, safeLength);
    for (Resizing resizing : resizings) {
      greatest = Math.max(greatest, resizing.to);
    }
    return greatest;
  }

  // ---------------------------------------------------------------- as processes see it

  /** Reads bytes that are within the file; directly means past the page cache. */
  void read(long position, MemorySegment memory, long offset, int bytes, boolean directly) {
    for (int done = 0; done < bytes; ) {
      int sector = Math.toIntExact((position + done) / SECTOR);
      int from = (int) ((position + done) % SECTOR);
      int count = Math.min(SECTOR - from, bytes - done);
      Unforced state = directly ? unforced.get(sector) : null;
      byte[] source = state != null && state.isStale() ? state.safe : sector(sector);
      MemorySegment.copy(source, from, memory, ValueLayout.JAVA_BYTE, offset + done, count);
      done += count;
    }
  }

  /** Returns all bytes, read through the page cache. */
  byte[] bytes() {
    byte[] bytes = new byte[Math.toIntExact(length)];
    read(0, MemorySegment.ofArray(bytes), 0, bytes.length, false);
    return bytes;
  }

  /** Writes bytes; the file grows where they are beyond its end. */
  void write(long position, MemorySegment memory, long offset, int bytes) {
    for (int done = 0; done < bytes; ) {
      int sector = Math.toIntExact((position + done) / SECTOR);
      int from = (int) ((position + done) % SECTOR);
      int count = Math.min(SECTOR - from, bytes - done);
      byte[] changed = sector(sector).clone();
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + done, changed, from, count);
      put(sector, changed);
      done += count;
    }
    if (position + bytes > length) {
      resize(position + bytes);
    }
  }

  /** Puts the bytes of one sector, as a write left them, into another, and takes the write back. */
  void misdirect(long position, RandomGenerator random) {
    int sector = Math.toIntExact(position / SECTOR);
    Unforced state = unforced.get(sector);
    int sectors = sectorsOf(length);
    if (state == null || state.isStale() || sectors < 2) {
      return;
    }
    byte[] strayed = state.written.removeLast();
    byte[] before = state.written.isEmpty() ? state.safe : state.written.getLast();
    if (state.written.isEmpty()) {
      unforced.remove(sector);
    }
    place(sector, before);
    put((sector + 1 + random.nextInt(sectors - 1)) % sectors, strayed);
  }

  /** Gives the file a length; what is new is zeros. */
  void resize(long bytes) {
    if (bytes == length) {
      return;
    }
    for (int sector = sectorsOf(bytes); sector < sectorsOf(length); sector++) {
      if (sector(sector) != ZEROS) {
        put(sector, ZEROS);
      }
    }
    int rest = (int) (bytes % SECTOR);
    if (bytes < length && rest > 0) {
      int last = sectorsOf(bytes) - 1;
      put(last, beginning(last, rest));
    }
    resizings.add(new Resizing(length, bytes));
    length = bytes;
  }

  private byte[] sector(int sector) {
    byte[] bytes = sector < seen.length ? seen[sector] : null;
    return bytes == null ? ZEROS : bytes;
  }

  /** Returns the first bytes of a sector, followed by zeros. */
  private byte[] beginning(int sector, int bytes) {
    return Arrays.copyOf(Arrays.copyOf(sector(sector), bytes), SECTOR);
  }

  private void put(int sector, byte[] bytes) {
    unforced.computeIfAbsent(sector, _ -> new Unforced(sector(sector))).written.add(bytes);
    place(sector, bytes);
  }

  private void place(int sector, byte[] bytes) {
    if (sector >= seen.length) {
      seen = Arrays.copyOf(seen, Math.max(sector + 1, 2 * seen.length));
    }
    seen[sector] = bytes;
  }

  private static int sectorsOf(long bytes) {
    return Math.toIntExact(Math.ceilDiv(bytes, SECTOR));
  }

  // ---------------------------------------------------------------- force

  /** Makes everything safe that was written, except what an earlier failed force has lost. */
  void force() {
    forceBytes();
    forceLength();
  }

  /** Makes bytes safe, as {@link #force}, but not the length. */
  void forceBytes() {
    unforced.values().removeIf(state -> !state.isStale());
  }

  /** Makes the length safe, as a file system does that has to use freed blocks again. */
  void forceLength() {
    safeLength = length;
    resizings.clear();
  }

  /**
   * Fails to make safe what was written: each sector reaches the device or does not, and none will
   * be tried again. Growth and truncation are tried again by the next force.
   *
   * @param staleCache whether the page cache goes on to show what was lost
   */
  void failForce(RandomGenerator random, boolean staleCache) {
    Survival survival = new Survival(random);
    for (Unforced state : unforced.values()) {
      state.safe = survival.choose(state.safe, state.written);
      state.written.clear();
    }
    unforced.entrySet().removeIf(entry -> entry.getValue().safe == sector(entry.getKey()));
    if (!staleCache) {
      dropCache();
    }
  }

  /** Lets the page cache forget what it has of the file, but for what was not forced. */
  void dropCache() {
    unforced.forEach(
        (sector, state) -> {
          if (state.isStale()) {
            place(sector, state.safe);
          }
        });
    unforced.values().removeIf(Unforced::isStale);
  }

  // ---------------------------------------------------------------- power loss

  /** Leaves what survives a power loss, and all of that is safe. */
  void losePower(RandomGenerator random, boolean garbage) {
    Survival survival = new Survival(random);
    unforced.forEach(
        (sector, state) -> {
          boolean spoilt = garbage && !state.isStale() && random.nextInt(GARBAGE_RARITY) == 0;
          place(
              sector, spoilt ? garbage(state, random) : survival.choose(state.safe, state.written));
        });
    unforced.clear();
    Survival ofLength = new Survival(random);
    length = safeLength;
    for (Resizing resizing : resizings) {
      length = ofLength.keeps() ? resizing.applyTo(length) : length;
    }
    cutTo(length);
    forceLength();
  }

  private static byte[] garbage(Unforced state, RandomGenerator random) {
    byte[] bytes = new byte[SECTOR];
    random.nextBytes(bytes);
    if (random.nextBoolean()) {
      System.arraycopy(state.safe, 0, bytes, 0, SECTOR);
      System.arraycopy(state.written.getLast(), 0, bytes, 0, 1 + random.nextInt(SECTOR - 1));
    }
    return bytes;
  }

  /** Forgets what is behind the end. */
  private void cutTo(long bytes) {
    int sectors = sectorsOf(bytes);
    if (sectors < seen.length) {
      Arrays.fill(seen, sectors, seen.length, null);
    }
    int rest = (int) (bytes % SECTOR);
    if (rest > 0) {
      place(sectors - 1, beginning(sectors - 1, rest));
    }
  }
}
