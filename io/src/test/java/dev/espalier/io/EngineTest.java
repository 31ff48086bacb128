// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every engine does alike. */
@Tag("fallback-thorough")
final class EngineTest {
  /** More than a ring takes at once. */
  private static final int MOST_REQUESTS = 300;

  /** Blocks for each request of a batch, so that its requests do not overlap. */
  private static final int SLOT_BLOCKS = 4;

  @TempDir Path folder;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void freeMemory() {
    arena.close();
  }

  // ---------------------------------------------------------------- transfer

  @ParameterizedTest
  @EnumSource
  void batchesReadAndWriteWhatAnArrayHolds(EngineUnderTest engine) {
    int block = engine.blockBytes;
    byte[] model = new byte[MOST_REQUESTS * SLOT_BLOCKS * block];
    MemorySegment memory = memory(model.length);
    IoBatch batch = new IoBatch(memory, MOST_REQUESTS);
    Random random = new Random(5);
    try (PageFile file = engine.open(folder.resolve("file"), Access.CREATE)) {
      file.grow(model.length);
      for (int round = 0; round < 8; round++) {
        int requests = round == 0 ? MOST_REQUESTS : 1 + random.nextInt(MOST_REQUESTS);
        batch.clear();
        for (int slot : someSlots(requests, random)) {
          int at = slot * SLOT_BLOCKS * block;
          byte[] bytes = new byte[block * (1 + random.nextInt(SLOT_BLOCKS))];
          random.nextBytes(bytes);
          System.arraycopy(bytes, 0, model, at, bytes.length);
          MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, bytes.length);
          batch.add(at, at, bytes.length);
        }
        file.write(batch);

        memory.fill((byte) 0);
        batch.clear();
        for (int i = 0; i < requests; i++) {
          int from = random.nextInt(MOST_REQUESTS) * SLOT_BLOCKS * block;
          int length = block * (1 + random.nextInt(SLOT_BLOCKS));
          batch.add(from, (long) i * SLOT_BLOCKS * block, length);
        }
        file.read(batch);
        for (int i = 0; i < requests; i++) {
          assertRead(model, batch, i);
        }
      }
      assertEquals(model.length, file.bytes());
    }
    assertArrayEquals(model, contents("file"));
  }

  @ParameterizedTest
  @EnumSource
  void startedBatchesAreFinishedInAnyOrder(EngineUnderTest engine) throws Exception {
    int batches = 12;
    int requests = 60;
    byte[] model = file(engine, batches * requests);
    try (PageFile file = engine.open(folder.resolve("file"), Access.READ)) {
      List<IoBatch> started = new ArrayList<>();
      for (int i = 0; i < batches; i++) {
        IoBatch batch = reads(engine, i * requests, requests);
        started.add(batch);
        if (i % 2 == 0) {
          file.startRead(batch);
        } else {
          Thread other = Thread.ofPlatform().start(() -> file.startRead(batch));
          other.join(); // a thread that has ended
        }
      }
      Collections.shuffle(started, new Random(7));
      for (IoBatch batch : started) {
        file.finish(batch);
        assertTrue(file.isDone(batch));
        assertAllRead(model, batch);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void batchIsDoneInTheEndWithoutBeingFinished(EngineUnderTest engine) {
    byte[] model = file(engine, 40);
    try (PageFile file = engine.open(folder.resolve("file"), Access.READ)) {
      IoBatch batch = reads(engine, 0, 40);
      file.startRead(batch);
      while (!file.isDone(batch)) {
        Thread.onSpinWait();
      }
      file.finish(batch);
      assertAllRead(model, batch);
    }
  }

  @ParameterizedTest
  @EnumSource
  void emptyBatchDoesNothing(EngineUnderTest engine) {
    try (PageFile file = engine.open(folder.resolve("file"), Access.CREATE)) {
      IoBatch batch = new IoBatch(memory(engine.blockBytes), 1);
      file.write(batch);
      file.startRead(batch);
      assertTrue(file.isDone(batch));
      file.finish(batch);
      assertEquals(0, file.bytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  void manyThreadsUseOneFile(EngineUnderTest engine) throws Exception {
    int threads = 20;
    int requests = 8;
    try (PageFile file = engine.open(folder.resolve("file"), Access.CREATE);
        ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      file.grow((long) threads * requests * engine.blockBytes);
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int first = i * requests;
        all.add(executor.submit(() -> writeAndReadBack(engine, file, first, requests)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
  }

  private void writeAndReadBack(EngineUnderTest engine, PageFile file, int first, int requests) {
    IoBatch batch = reads(engine, first, requests);
    for (int round = 1; round <= 40; round++) {
      batch.memory().fill((byte) (first + round));
      file.write(again(batch));
      batch.memory().fill((byte) 0);
      file.read(again(batch));
      byte[] expected = new byte[requests * engine.blockBytes];
      Arrays.fill(expected, (byte) (first + round));
      assertArrayEquals(expected, batch.memory().toArray(ValueLayout.JAVA_BYTE));
    }
  }

  // ---------------------------------------------------------------- failures of a transfer

  @ParameterizedTest
  @EnumSource
  void readingBeyondTheEndNamesFileAndPosition(EngineUnderTest engine) throws IOException {
    file(engine, 3);
    // An end within a block, which direct transfers see as a short one.
    Files.write(folder.resolve("file"), new byte[3 * engine.blockBytes - 100]);
    try (PageFile file = engine.open(folder.resolve("file"), Access.READ)) {
      for (int block : new int[] {2, 3, 1000}) {
        PageFileException e =
            assertThrows(PageFileException.class, () -> file.read(reads(engine, block, 1)));
        assertEquals(folder.resolve("file"), e.path());
        String expected =
            "%s: reading of %d bytes at %d, but the file ends before"
                .formatted(
                    folder.resolve("file"), engine.blockBytes, (long) block * engine.blockBytes);
        assertEquals(expected, e.getMessage());
      }
      file.read(reads(engine, 0, 2));
    }
  }

  @ParameterizedTest
  @EnumSource
  void fileOpenedForReadingIsNotWritten(EngineUnderTest engine) {
    byte[] model = file(engine, 1);
    try (PageFile file = engine.open(folder.resolve("file"), Access.READ)) {
      PageFileException e =
          assertThrows(PageFileException.class, () -> file.write(reads(engine, 0, 1)));
      assertEquals(Errno.EBADF, e.errno());
    }
    assertArrayEquals(model, contents("file"));
  }

  @ParameterizedTest
  @EnumSource
  void fullDeviceIsToldAsSuch(EngineUnderTest engine) {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "the system has no /dev/full");
    try (PageFile file = engine.open(full, Access.WRITE)) {
      PageFileException e =
          assertThrows(PageFileException.class, () -> file.write(reads(engine, 0, 3)));
      assertEquals(Errno.ENOSPC, e.errno());
      assertTrue(e.getMessage().contains("no space left"), e.getMessage());
    }
  }

  // ---------------------------------------------------------------- interrupts

  @ParameterizedTest
  @EnumSource
  @Tag("thorough")
  void interruptStormHarmsNeitherTransfersNorTheFile(EngineUnderTest engine) throws Exception {
    byte[] model = file(engine, 64);
    AtomicBoolean over = new AtomicBoolean();
    try (PageFile file = engine.open(folder.resolve("file"), Access.WRITE)) {
      Thread reader = Thread.currentThread();
      CountDownLatch raging = new CountDownLatch(1);
      Thread storm =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!over.get()) {
                      reader.interrupt();
                      raging.countDown();
                      LockSupport.parkNanos(20_000); // many within a batch, and room for others
                    }
                  });
      try {
        Waiting.await(raging);
        IoBatch single = reads(engine, 5, 1);
        IoBatch several = reads(engine, 0, 64);
        for (int i = 0; i < 2000; i++) {
          IoBatch batch = again(i % 20 == 0 ? several : single);
          batch.memory().fill((byte) 0);
          if (i % 3 == 0) {
            file.startRead(batch);
            file.finish(batch);
          } else {
            file.read(batch);
          }
          assertTrue(reader.isInterrupted(), "a transfer swallowed the interrupt");
          assertAllRead(model, batch);
        }
        file.write(again(several));
        file.grow(65L * engine.blockBytes);
        file.force();
      } finally {
        over.set(true);
        while (storm.isAlive()) {
          Thread.onSpinWait();
        }
      }
      assertTrue(Thread.interrupted());
      file.read(reads(engine, 0, 65));
      assertEquals(65L * engine.blockBytes, file.bytes());
    }
  }

  // ---------------------------------------------------------------- close

  @ParameterizedTest
  @EnumSource
  void closingWaitsForWhatWasStarted(EngineUnderTest engine) {
    PageFile file = engine.open(folder.resolve("file"), Access.CREATE);
    IoBatch batch = reads(engine, 0, MOST_REQUESTS);
    batch.memory().fill((byte) 7);
    file.startWrite(batch);
    file.close();
    assertTrue(file.isDone(batch));
    file.finish(batch);
    byte[] expected = new byte[MOST_REQUESTS * engine.blockBytes];
    Arrays.fill(expected, (byte) 7);
    assertArrayEquals(expected, contents("file"));
  }

  @ParameterizedTest
  @EnumSource
  void useAfterCloseIsRefusedFromAnyThread(EngineUnderTest engine) throws Exception {
    file(engine, 1);
    PageFile file = engine.open(folder.resolve("file"), Access.WRITE);
    file.close();
    file.close();
    for (Callable<?> use : uses(engine, file)) {
      assertThrows(IllegalStateException.class, use::call);
      assertEquals(IllegalStateException.class, failureInAnotherThread(use));
    }
  }

  @ParameterizedTest
  @EnumSource
  void closingWhileOthersReadEndsTheirReadsWellOrRefusesThem(EngineUnderTest engine)
      throws Exception {
    byte[] model = file(engine, 32);
    int readers = 6;
    try (ExecutorService executor = Executors.newFixedThreadPool(readers)) {
      for (int round = 0; round < 4; round++) {
        PageFile file = engine.open(folder.resolve("file"), Access.READ);
        CountDownLatch reading = new CountDownLatch(readers);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
          all.add(executor.submit(() -> readUntilClosed(engine, file, model, reading)));
        }
        reading.await();
        file.close();
        for (Future<Integer> one : all) {
          assertTrue(one.get() > 0);
        }
      }
    }
  }

  /** Returns how many reads were done before the file was closed. */
  private int readUntilClosed(
      EngineUnderTest engine, PageFile file, byte[] model, CountDownLatch reading) {
    IoBatch batch = reads(engine, 0, 32);
    for (int reads = 0; ; reads++) {
      try {
        file.read(again(batch));
      } catch (IllegalStateException closed) {
        return reads;
      }
      assertAllRead(model, batch);
      if (reads == 0) {
        reading.countDown();
      }
    }
  }

  private List<Callable<?>> uses(EngineUnderTest engine, PageFile file) {
    return List.of(
        () -> file.bytes(),
        () -> {
          file.read(reads(engine, 0, 1));
          return null;
        },
        () -> {
          file.startWrite(reads(engine, 0, 1));
          return null;
        },
        () -> {
          file.grow(1 << 20);
          return null;
        },
        () -> {
          file.force();
          return null;
        });
  }

  private static Class<?> failureInAnotherThread(Callable<?> use) throws InterruptedException {
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      other.submit(use).get();
      return Void.class;
    } catch (ExecutionException e) {
      return e.getCause().getClass();
    }
  }

  // ---------------------------------------------------------------- file

  @ParameterizedTest
  @EnumSource
  void growingAddsZerosAndNeverShortens(EngineUnderTest engine) {
    byte[] model = file(engine, 2);
    try (PageFile file = engine.open(folder.resolve("file"), Access.WRITE)) {
      file.grow(5L * engine.blockBytes);
      assertEquals(5L * engine.blockBytes, file.bytes());
      file.grow(engine.blockBytes);
      assertEquals(5L * engine.blockBytes, file.bytes());
      file.force();
    }
    assertArrayEquals(Arrays.copyOf(model, 5 * engine.blockBytes), contents("file"));
  }

  @ParameterizedTest
  @EnumSource
  void zerosAreWrittenWhereTheFileSystemGivesNoRoom(EngineUnderTest engine) {
    byte[] model = file(engine, 1);
    int bytes = 600 * 4096; // several pieces, the last a short one
    try (PageFile file = engine.open(folder.resolve("file"), Access.WRITE)) {
      ((EngineFile) file).writeZeros(engine.blockBytes, bytes);
    }
    assertArrayEquals(Arrays.copyOf(model, bytes), contents("file"));
  }

  @ParameterizedTest
  @EnumSource
  void newFileIsEmptyAndOldOneIsNotReplaced(EngineUnderTest engine) {
    try (PageFile file = engine.open(folder.resolve("new"), Access.CREATE)) {
      assertEquals(0, file.bytes());
    }
    byte[] model = file(engine, 1);
    PageFileException e =
        assertThrows(
            PageFileException.class, () -> engine.open(folder.resolve("file"), Access.CREATE));
    assertEquals(folder.resolve("file") + ": the file exists already", e.getMessage());
    assertArrayEquals(model, contents("file"));
  }

  @ParameterizedTest
  @EnumSource
  void missingFileIsToldAndNotMade(EngineUnderTest engine) {
    engine.assumeItRuns();
    for (Access access : List.of(Access.READ, Access.WRITE)) {
      PageFileException e =
          assertThrows(PageFileException.class, () -> engine.open(folder.resolve("none"), access));
      assertEquals(folder.resolve("none") + ": no such file", e.getMessage());
    }
    assertFalse(Files.exists(folder.resolve("none")));
  }

  @ParameterizedTest
  @EnumSource
  void directoryIsRefused(EngineUnderTest engine) {
    engine.assumeItRuns();
    for (Access access : Access.values()) {
      PageFileException e =
          assertThrows(PageFileException.class, () -> engine.open(folder, access));
      assertEquals(folder, e.path());
    }
  }

  @ParameterizedTest
  @EnumSource
  void fileWithoutPermissionIsRefused(EngineUnderTest engine) throws IOException {
    engine.assumeItRuns();
    file(engine, 1);
    Path path = folder.resolve("file");
    Files.setPosixFilePermissions(path, java.util.Set.of());
    assumeTrue(!Files.isReadable(path), "root may do everything");
    PageFileException e =
        assertThrows(PageFileException.class, () -> engine.open(path, Access.READ));
    assertEquals(path, e.path());
  }

  // ---------------------------------------------------------------- support

  /** Makes a file of random bytes. */
  private byte[] file(EngineUnderTest engine, int blocks) {
    byte[] bytes = new byte[blocks * engine.blockBytes];
    new Random(blocks).nextBytes(bytes);
    try {
      Files.write(folder.resolve("file"), bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes;
  }

  private byte[] contents(String name) {
    try {
      return Files.readAllBytes(folder.resolve(name));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private MemorySegment memory(long bytes) {
    return arena.allocate(bytes, Descriptor.DIRECT_ALIGNMENT);
  }

  /** A batch of single blocks, one after the other. */
  private IoBatch reads(EngineUnderTest engine, int firstBlock, int blocks) {
    int block = engine.blockBytes;
    IoBatch batch = new IoBatch(memory((long) blocks * block), blocks);
    for (int i = 0; i < blocks; i++) {
      batch.add((long) (firstBlock + i) * block, (long) i * block, block);
    }
    return batch;
  }

  /** The same requests once more. */
  private static IoBatch again(IoBatch batch) {
    int count = batch.count();
    long first = batch.position(0);
    int block = batch.length(0);
    batch.clear();
    for (int i = 0; i < count; i++) {
      batch.add(first + (long) i * block, (long) i * block, block);
    }
    return batch;
  }

  private static List<Integer> someSlots(int count, Random random) {
    List<Integer> slots = new ArrayList<>();
    for (int slot = 0; slot < MOST_REQUESTS; slot++) {
      slots.add(slot);
    }
    Collections.shuffle(slots, random);
    return slots.subList(0, count);
  }

  private static void assertAllRead(byte[] model, IoBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      assertRead(model, batch, i);
    }
  }

  private static void assertRead(byte[] model, IoBatch batch, int request) {
    MemorySegment read = batch.memory().asSlice(batch.offset(request), batch.length(request));
    MemorySegment expected =
        MemorySegment.ofArray(model).asSlice(batch.position(request), batch.length(request));
    assertEquals(-1, expected.mismatch(read), "request " + request);
  }
}
