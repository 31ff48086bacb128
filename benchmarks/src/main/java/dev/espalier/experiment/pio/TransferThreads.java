// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.ExperimentException;
import dev.espalier.ffi.FileCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that each read and write one block at a time, by a plain call of the system that returns
 * when it is done: the paper's parallel processing.
 */
final class TransferThreads implements AutoCloseable {
  private final List<Integer> descriptors = new ArrayList<>();
  private final int count;
  private final ExecutorService threads;

  /**
   * Makes the threads.
   *
   * @param count of the threads
   * @param paths of files, which threads take in turn; each is opened once
   * @param direct whether past the page cache
   */
  TransferThreads(int count, List<Path> paths, boolean direct) {
    this.count = count;
    this.threads = Executors.newFixedThreadPool(count, Thread.ofPlatform().daemon().factory());
    if (!FileCalls.status().isAvailable()) {
      throw new ExperimentException("threads can't be compared: " + FileCalls.status());
    }
    for (Path path : paths) {
      int descriptor = checked(FileCalls.open(path, FileCalls.READ_WRITE), "opening " + path);
      descriptors.add(descriptor);
      checked(FileCalls.setDirect(descriptor, direct), "O_DIRECT for " + path);
    }
  }

  private static int checked(int result, String doing) {
    if (result < 0) {
      throw new ExperimentException(doing + " failed with errno " + -result);
    }
    return result;
  }

  /**
   * Transfers blocks, each thread an equal share of them.
   *
   * @param numbers of the blocks; in each file they count modulo {@code blocks}
   * @param blocks of each file
   * @param mixed whether each thread writes every second block, instead of reading all
   * @return how many blocks that were read are not those they should be
   */
  long run(long[] numbers, long blocks, boolean mixed) {
    List<Future<Long>> shares = new ArrayList<>();
    int share = numbers.length / count;
    for (int i = 0; i < count; i++) {
      int thread = i;
      shares.add(threads.submit(() -> transfer(thread, share, numbers, blocks, mixed)));
    }
    try {
      long mistaken = 0;
      for (Future<Long> done : shares) {
        mistaken += done.get();
      }
      return mistaken;
    } catch (ExecutionException e) {
      throw new ExperimentException("a thread failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExperimentException("interrupted", e);
    }
  }

  private long transfer(int thread, int share, long[] numbers, long blocks, boolean mixed) {
    Blocks buffer = new Blocks(1);
    long address = buffer.memory().address();
    int descriptor = descriptors.get(thread % descriptors.size());
    long mistaken = 0;
    for (int i = 0; i < share; i++) {
      long number = numbers[thread * share + i] % blocks;
      long position = number * Blocks.BYTES;
      int moved;
      if (mixed && (thread + i) % 2 == 1) {
        buffer.label(0, number, 1);
        moved = FileCalls.pwrite(descriptor, address, Blocks.BYTES, position);
      } else {
        buffer.clear(0, 1);
        moved = FileCalls.pread(descriptor, address, Blocks.BYTES, position);
        mistaken += buffer.mistaken(0, number, 1);
      }
      if (moved != Blocks.BYTES) {
        throw new ExperimentException("a block at " + position + " was not moved: " + moved);
      }
    }
    return mistaken;
  }

  @Override
  public void close() {
    threads.close();
    descriptors.forEach(FileCalls::close);
  }
}
