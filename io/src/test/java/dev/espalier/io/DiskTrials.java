// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** What tests of the {@link SimulatedDisk} do to it. */
final class DiskTrials {
  static final int SEEDS = 300;
  static final int SECTOR = 512;
  static final int BLOCK = 4096;

  /** What all batches read into and write from. */
  static final MemorySegment MEMORY = Arena.global().allocate(4 * BLOCK, BLOCK);

  private DiskTrials() {}

  static SimulatedDisk disk(long seed) {
    return new SimulatedDisk(seed, DiskTraits.USUAL);
  }

  static PageFile create(SimulatedDisk disk, String name) {
    return disk.openPages(SimulatedDisk.path(name), Access.CREATE, BLOCK);
  }

  static PageFile open(SimulatedDisk disk, String name) {
    return disk.openPages(SimulatedDisk.path(name), Access.WRITE, BLOCK);
  }

  /** Makes a file of so many blocks, all bytes 1, safe in every way. */
  static PageFile safeFile(SimulatedDisk disk, String name, int blocks) {
    PageFile file = create(disk, name);
    file.grow((long) blocks * BLOCK);
    for (int i = 0; i < blocks; i++) {
      write(file, (long) i * BLOCK, BLOCK, 1);
    }
    file.force();
    disk.forceNames(file.path());
    return file;
  }

  static IoBatch batch(long position, int length) {
    IoBatch batch = new IoBatch(MEMORY, 1);
    batch.add(position, 0, length);
    return batch;
  }

  /** Writes bytes that are all the same. */
  static void write(PageFile file, long position, int length, int value) {
    MEMORY.asSlice(0, length).fill((byte) value);
    file.write(batch(position, length));
  }

  /** Reads one byte of each sector of a file. */
  static String read(PageFile file) {
    StringBuilder values = new StringBuilder();
    for (int at = 0; at < file.bytes(); at += BLOCK) {
      file.read(batch(at, BLOCK));
      for (int i = 0; i < BLOCK; i += SECTOR) {
        values.append(MEMORY.get(ValueLayout.JAVA_BYTE, i));
      }
    }
    return values.toString();
  }

  /** Returns the value of each sector of a file, with ? where its bytes differ. */
  static String sectors(SimulatedDisk disk, String name) {
    byte[] bytes = disk.contents(SimulatedDisk.path(name));
    StringBuilder values = new StringBuilder();
    for (int at = 0; at < bytes.length; at += SECTOR) {
      byte first = bytes[at];
      int end = Math.min(at + SECTOR, bytes.length);
      boolean same = IntStream.range(at, end).allMatch(i -> bytes[i] == first);
      values.append(same ? String.valueOf(first) : "?");
    }
    return values.toString();
  }

  /** Returns how often each outcome of a run is seen, over all seeds. */
  static Map<String, Integer> outcomes(IntFunction<String> run) {
    Map<String, Integer> counts = new TreeMap<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      counts.merge(run.apply(seed), 1, Integer::sum);
    }
    return counts;
  }
}
