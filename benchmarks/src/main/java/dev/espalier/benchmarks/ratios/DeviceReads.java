// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.io.Access;
import dev.espalier.io.IoBatch;
import dev.espalier.io.IoStatus;
import dev.espalier.io.NettyPageFiles;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFiles;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.uring.IoUringIoHandler;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Random reads of 4 KiB from one file, by the engines, and of pages. */
final class DeviceReads implements AutoCloseable {
  static final String ONE_BY_ONE = "4 KiB, one after the other";
  static final String PSYNC = "4 KiB, psync of 64 by the ring";
  static final String NETTY = "4 KiB, psync of 64 by Netty's ring";
  static final String THREADS = "4 KiB, psync of 64 by threads";
  static final String PAGES_ONE_BY_ONE = "16 KiB, one after the other";
  static final String PAGES_PSYNC = "16 KiB, psync of 64 by the ring";

  private static final int BLOCK_BYTES = 4096;
  private static final int PAGE_BYTES = 16 << 10;
  private static final int WAVE = 64;

  /** Reads in a round: some hundredths of a second. */
  private static final int READS = 32 * WAVE;

  /** A GiB: more than a device keeps of it by itself. */
  private static final long FILE_BYTES = 1L << 30;

  private static final int FILL_BYTES = 1 << 20;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(FILL_BYTES, BLOCK_BYTES);
  private final IoBatch wave = new IoBatch(memory, WAVE);
  private final SplittableRandom random = new SplittableRandom(1);
  private final IoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, IoUringIoHandler.newFactory());
  private final PageFile ring;
  private final PageFile threads;
  private final PageFile netty;

  DeviceReads(Path folder) {
    Path path = folder.resolve("blocks");
    ring = PageFiles.IO_URING.open(path, Access.CREATE, BLOCK_BYTES);
    fill();
    threads = PageFiles.THREADS.open(path, Access.READ, BLOCK_BYTES);
    netty = NettyPageFiles.on(loops).open(path, Access.READ, BLOCK_BYTES);
  }

  private void fill() {
    memory.fill((byte) 1);
    ring.grow(FILE_BYTES);
    IoBatch batch = new IoBatch(memory, 1);
    for (long at = 0; at < FILE_BYTES; at += FILL_BYTES) {
      batch.clear();
      batch.add(at, 0, FILL_BYTES);
      ring.write(batch);
    }
    ring.force();
  }

  IoStatus status() {
    return ring.status();
  }

  void addTo(Rounds rounds) {
    rounds.add(ONE_BY_ONE, READS, () -> read(ring, BLOCK_BYTES, 1));
    rounds.add(PSYNC, READS, () -> read(ring, BLOCK_BYTES, WAVE));
    rounds.add(NETTY, READS, () -> read(netty, BLOCK_BYTES, WAVE));
    rounds.add(THREADS, READS, () -> read(threads, BLOCK_BYTES, WAVE));
    rounds.add(PAGES_ONE_BY_ONE, READS, () -> read(ring, PAGE_BYTES, 1));
    rounds.add(PAGES_PSYNC, READS, () -> read(ring, PAGE_BYTES, WAVE));
  }

  private void read(PageFile file, int bytes, int atOnce) {
    for (int done = 0; done < READS; done += atOnce) {
      wave.clear();
      for (int i = 0; i < atOnce; i++) {
        long place = random.nextLong(FILE_BYTES / bytes);
        wave.add(place * bytes, (long) i * bytes, bytes);
      }
      file.read(wave);
    }
  }

  @Override
  public void close() {
    netty.close();
    threads.close();
    ring.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    arena.close();
  }
}
