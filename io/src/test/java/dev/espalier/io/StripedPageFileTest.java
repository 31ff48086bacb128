// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.Faults.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-too")
class StripedPageFileTest {
  private static final int BLOCK = 64;

  @TempDir private Path folder;

  private final MemorySegment memory = Arena.ofAuto().allocate(64 * BLOCK);

  private Path path(int file) {
    return folder.resolve("stripe" + file);
  }

  private List<Path> further(int files) {
    return IntStream.range(1, files).mapToObj(this::path).toList();
  }

  private PageFile open(PageFileOpener engine, int files, Access access) {
    return PageFiles.striped(engine, further(files)).open(path(0), access, BLOCK);
  }

  private PageFile create(int files) {
    return open(PageFiles.CHANNEL, files, Access.CREATE);
  }

  private IoBatch request(long position, int bytes) {
    IoBatch batch = new IoBatch(memory, 1);
    batch.add(position, 0, bytes);
    return batch;
  }

  @Test
  void oneFileIsNotStriped() {
    assertSame(PageFiles.CHANNEL, PageFiles.striped(PageFiles.CHANNEL, List.of()));
  }

  @Test
  void blocksGoToTheFilesInTurn() throws IOException {
    try (PageFile file = create(3)) {
      file.grow(7 * BLOCK);
      for (int i = 0; i < 7 * BLOCK; i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i / BLOCK));
      }
      file.write(request(0, 7 * BLOCK));
      assertEquals(path(0), file.path());
    }
    int[][] blocks = {{0, 3, 6}, {1, 4}, {2, 5}};
    for (int i = 0; i < 3; i++) {
      byte[] contents = Files.readAllBytes(path(i));
      assertEquals(blocks[i].length * BLOCK, contents.length);
      for (int at = 0; at < contents.length; at++) {
        assertEquals(blocks[i][at / BLOCK], contents[at]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void randomBatchesDoWhatTheyDoToAnArray(int files) {
    Random random = new Random(files);
    int blocks = 40;
    byte[] model = new byte[blocks * BLOCK];
    try (PageFile file = create(files)) {
      file.grow(model.length);
      IoBatch batch = new IoBatch(memory, 12);
      for (int round = 0; round < 200; round++) {
        batch.clear();
        List<Integer> order = new ArrayList<>(IntStream.range(0, blocks / 4).boxed().toList());
        Collections.shuffle(order, random);
        int place = 0;
        int count = random.nextInt(1, 11);
        for (int i = 0; i < count; i++) {
          int bytes = random.nextInt(1, 4 * BLOCK);
          batch.add(
              order.get(i) * 4L * BLOCK + random.nextInt(4 * BLOCK - bytes + 1), place, bytes);
          place += bytes;
        }
        if (random.nextBoolean()) {
          byte[] bytes = new byte[place];
          random.nextBytes(bytes);
          MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, place);
          file.write(batch);
          for (int i = 0; i < count; i++) {
            int from = (int) batch.offset(i);
            System.arraycopy(bytes, from, model, (int) batch.position(i), batch.length(i));
          }
        } else {
          file.read(batch);
          for (int i = 0; i < count; i++) {
            int at = (int) batch.position(i);
            byte[] expected = Arrays.copyOfRange(model, at, at + batch.length(i));
            assertArrayEquals(
                expected,
                memory.asSlice(batch.offset(i), batch.length(i)).toArray(ValueLayout.JAVA_BYTE));
          }
        }
      }
    }
  }

  /** Opens files that note which calls were made on which of them. */
  private static PageFileOpener noting(List<String> calls) {
    return (path, access, blockBytes) -> {
      PageFile file = PageFiles.CHANNEL.open(path, access, blockBytes);
      return (PageFile)
          Proxy.newProxyInstance(
              PageFile.class.getClassLoader(),
              new Class<?>[] {PageFile.class},
              (_, method, arguments) -> {
                calls.add(method.getName() + " " + path.getFileName());
                return method.invoke(file, arguments);
              });
    };
  }

  @Test
  void allPartsAreStartedBeforeOneIsWaitedForAndFilesWithoutPartsAreLeftAlone() {
    List<String> calls = new ArrayList<>();
    try (PageFile file = open(noting(calls), 4, Access.CREATE)) {
      file.grow(16 * BLOCK);
      calls.clear();
      file.read(request(BLOCK, 6 * BLOCK));
      assertEquals(
          IntStream.range(0, 8)
              .mapToObj(i -> (i < 4 ? "startRead stripe" : "finish stripe") + i % 4)
              .toList(),
          calls);
      calls.clear();
      file.read(request(2 * BLOCK, BLOCK + 1));
      assertEquals(
          List.of("startRead stripe2", "startRead stripe3", "finish stripe2", "finish stripe3"),
          calls);
    }
  }

  @Test
  void whatIsInOneFileIsMovedInTheWayOfThatFile() {
    List<String> calls = new ArrayList<>();
    try (PageFile file = open(noting(calls), 3, Access.CREATE)) {
      file.grow(6 * BLOCK);
      calls.clear();
      IoBatch block = request(4 * BLOCK, BLOCK);
      file.read(block);
      file.write(request(2 * BLOCK + 1, BLOCK - 1));
      assertEquals(List.of("read stripe1", "write stripe2"), calls);
      assertTrue(file.isDone(block));
    }
  }

  @Test
  void aBatchCanBeUsedAgainWithMoreRequestsAndInAnotherFile() {
    IoBatch batch = new IoBatch(memory, 8);
    try (PageFile three = create(3);
        PageFile two =
            PageFiles.striped(PageFiles.CHANNEL, List.of(folder.resolve("b")))
                .open(folder.resolve("a"), Access.CREATE, BLOCK)) {
      for (PageFile file : List.of(three, two, three)) {
        for (int count = 1; count <= 8; count++) {
          batch.clear();
          for (int i = 0; i < count; i++) {
            memory.set(ValueLayout.JAVA_BYTE, (long) i * BLOCK, (byte) (count + i));
            batch.add((long) i * BLOCK, (long) i * BLOCK, BLOCK);
          }
          file.write(batch);
          memory.fill((byte) 0);
          file.read(batch);
          for (int i = 0; i < count; i++) {
            assertEquals(count + i, memory.get(ValueLayout.JAVA_BYTE, (long) i * BLOCK));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, BLOCK, 3 * BLOCK, 4 * BLOCK + 5, 5 * BLOCK, 6 * BLOCK - 1, 30 * BLOCK})
  void aFileIsAsLongAsItHasGrown(int bytes) throws IOException {
    try (PageFile file = create(3)) {
      file.grow(bytes);
      assertEquals(bytes, file.bytes());
      file.grow(bytes / 2);
      assertEquals(bytes, file.bytes());
    }
    assertEquals(bytes, Files.size(path(0)) + Files.size(path(1)) + Files.size(path(2)));
    try (PageFile file = open(PageFiles.CHANNEL, 3, Access.READ)) {
      assertEquals(bytes, file.bytes());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aFileThatCannotGrowIsAsLongAsBefore(int failing) {
    Faults faults = new Faults();
    try (PageFile file = open(faults.over(PageFiles.CHANNEL), 3, Access.CREATE)) {
      file.grow(4 * BLOCK);
      faults.failOnce(failing, Errno.ENOSPC, Operation.GROW);
      PageFileException full = assertThrows(PageFileException.class, () -> file.grow(40 * BLOCK));
      assertEquals(Errno.ENOSPC, full.errno());
      assertEquals(path(failing - 1), full.path());
      assertTrue(file.bytes() >= 4 * BLOCK && file.bytes() < 40 * BLOCK);
      file.grow(40 * BLOCK);
      assertEquals(40 * BLOCK, file.bytes());
    }
  }

  @Test
  void aFailureNamesTheFileThatFailedAndTheOthersHaveEnded() throws IOException {
    Faults faults = new Faults();
    try (PageFile file = open(faults.over(PageFiles.CHANNEL), 3, Access.CREATE)) {
      file.grow(3 * BLOCK);
      memory.fill((byte) 9);
      faults.failOnce(2, Errno.EIO);
      PageFileException failure =
          assertThrows(PageFileException.class, () -> file.write(request(0, 3 * BLOCK)));
      assertEquals(path(1), failure.path());
      assertEquals(Errno.EIO, failure.errno());
      assertEquals(9, Files.readAllBytes(path(2))[0]);
      assertEquals(0, Files.readAllBytes(path(1))[0]);
    }
  }

  /** As for want of stack: the memory is used for something else when the error is thrown. */
  @Test
  void anErrorIsThrownWhenTheOthersHaveEnded() {
    List<String> calls = new ArrayList<>();
    PageFileOpener failing =
        (path, access, blockBytes) ->
            new PageFileAround(noting(calls).open(path, access, blockBytes)) {
              @Override
              public void finish(IoBatch batch) {
                super.finish(batch);
                throw new StackOverflowError("of " + path.getFileName());
              }
            };
    try (PageFile file = open(failing, 3, Access.CREATE)) {
      file.grow(3 * BLOCK);
      calls.clear();
      StackOverflowError first =
          assertThrows(StackOverflowError.class, () -> file.read(request(0, 3 * BLOCK)));
      assertEquals("of stripe0", first.getMessage());
      assertEquals(
          List.of("finish stripe0", "finish stripe1", "finish stripe2"), calls.subList(3, 6));
    }
  }

  @Test
  void allFilesAreForcedAndAFailureNamesItsFile() {
    Faults faults = new Faults();
    try (PageFile file = open(faults.over(PageFiles.CHANNEL), 3, Access.CREATE)) {
      faults.failOnce(2, Errno.EIO, Operation.FORCE);
      assertEquals(path(1), assertThrows(PageFileException.class, file::force).path());
      assertEquals(3, faults.count(Operation.FORCE));
    }
  }

  @Test
  void noFileIsMadeIfOneCannotBe() throws IOException {
    Files.write(path(2), new byte[] {1});
    PageFileException failure = assertThrows(PageFileException.class, () -> create(3));
    assertEquals(path(2), failure.path());
    assertFalse(Files.exists(path(0)));
    assertFalse(Files.exists(path(1)));
    assertEquals(1, Files.size(path(2)));
  }

  @Test
  void filesAreKeptIfOneOfThemIsMissing() throws IOException {
    create(2).close();
    Files.delete(path(1));
    PageFileException failure =
        assertThrows(
            PageFileException.class, () -> open(PageFiles.CHANNEL, 2, Access.WRITE).close());
    assertEquals(path(1), failure.path());
    assertTrue(Files.exists(path(0)));
  }

  @Test
  void aFileCannotBeThereTwice() {
    PageFileOpener opener =
        PageFiles.striped(PageFiles.CHANNEL, List.of(folder.resolve("x/../stripe0")));
    assertThrows(
        IllegalArgumentException.class, () -> opener.open(path(0), Access.CREATE, BLOCK).close());
    assertFalse(Files.exists(path(0)));
  }

  @Test
  void aBatchThatAFileRefusesIsNotUnderWay() {
    PageFile[] opened = new PageFile[2];
    PageFileOpener engine =
        (path, access, blockBytes) -> {
          PageFile file = PageFiles.CHANNEL.open(path, access, blockBytes);
          opened[path.equals(path(0)) ? 0 : 1] = file;
          return file;
        };
    try (PageFile file = open(engine, 2, Access.CREATE)) {
      file.grow(4 * BLOCK);
      opened[1].close();
      IoBatch batch = request(0, 4 * BLOCK);
      assertThrows(IllegalStateException.class, () -> file.startRead(batch));
      assertTrue(opened[0].isDone(StripedBatch.of(batch).part(0)));
    }
  }
}
