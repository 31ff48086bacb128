// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.ffi.FileCalls;
import dev.espalier.ffi.IoRequest;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What sets Netty's loops apart from other engines; {@link EngineTest} has what they do alike. */
@Timeout(60)
class NettyPageFileTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 200;

  @TempDir private Path folder;

  private final MemorySegment memory = Arena.ofAuto().allocate(BLOCKS * BLOCK, BLOCK);
  private IoEventLoopGroup loop;
  private PageFile file;

  @BeforeEach
  void open() {
    assumeTrue(NettyLoops.status().isAvailable(), () -> NettyLoops.status().toString());
    loop = NettyLoops.one();
    file = NettyPageFiles.on(loop).open(folder.resolve("pages"), Access.CREATE, BLOCK);
    file.grow(BLOCKS * BLOCK);
  }

  @AfterEach
  void close() {
    if (loop != null) {
      file.close();
      shutDown(0);
    }
  }

  private void shutDown(int quietMillis) {
    loop.shutdownGracefully(quietMillis, 10_000, TimeUnit.MILLISECONDS);
  }

  private IoBatch blocks(int count) {
    IoBatch batch = new IoBatch(memory, count);
    for (int i = 0; i < count; i++) {
      batch.add((long) i * BLOCK, (long) i * BLOCK, BLOCK);
    }
    return batch;
  }

  /** Does something on the loop's thread, and returns what it ended with. */
  private Object onLoop(Callable<?> action) throws InterruptedException {
    try {
      return String.valueOf(loop.submit(action).get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  @Test
  void statusNamesNetty() {
    assertEquals(IoStatus.Engine.NETTY, file.status().engine());
    assertTrue(file.status().toString().startsWith("Netty's io_uring, "));
  }

  @Test
  void theLoopsOwnThreadIsRefusedWhereItWouldWaitForItself() throws Exception {
    IoBatch batch = blocks(3);
    List<Callable<?>> waits =
        List.of(
            () -> {
              file.read(batch);
              return "";
            },
            () -> {
              file.write(batch);
              return "";
            },
            () -> {
              file.startRead(batch);
              file.finish(batch);
              return "";
            },
            () -> {
              file.close();
              return "";
            });
    for (Callable<?> wait : waits) {
      IllegalStateException refused = assertInstanceOf(IllegalStateException.class, onLoop(wait));
      assertTrue(refused.getMessage().contains("own thread"), refused::getMessage);
    }
    file.finish(batch); // the one that was started is still under way
    file.read(batch);
  }

  @Test
  void theLoopsOwnThreadMayStartAndFinishWhatIsDone() throws Exception {
    memory.fill((byte) 5);
    file.write(blocks(BLOCKS));
    memory.fill((byte) 0);
    IoBatch batch = blocks(BLOCKS);
    assertEquals(
        "started",
        onLoop(
            () -> {
              file.startRead(batch);
              return "started";
            }));
    Object answer;
    do {
      answer =
          onLoop(
              () -> {
                if (!file.isDone(batch)) {
                  return "under way";
                }
                file.finish(batch);
                return "finished";
              });
    } while (answer.equals("under way"));
    assertEquals("finished", answer);
    assertEquals(5, memory.get(ValueLayout.JAVA_BYTE, BLOCKS * BLOCK - 1));
  }

  @Test
  void requestsEndWhenTheLoopIsShutDown() {
    List<IoBatch> started = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      IoBatch batch = blocks(BLOCKS);
      file.startRead(batch);
      started.add(batch);
    }
    shutDown(0);
    for (IoBatch batch : started) {
      try {
        file.finish(batch);
      } catch (PageFileException shutDown) {
        assertTrue(shutDown.getMessage().contains("event loop"), shutDown::getMessage);
      }
      assertTrue(file.isDone(batch));
    }
  }

  @Test
  void requestsAreRefusedFromTheBeginningOfTheShutdownOn() {
    IoBatch batch = blocks(3);
    file.read(batch);
    shutDown(300);
    PageFileException refused = null;
    while (refused == null) {
      try {
        file.read(again(batch));
      } catch (PageFileException e) {
        refused = e;
      }
    }
    assertTrue(refused.getMessage().contains("event loop was shut down"), refused::getMessage);
    loop.terminationFuture().awaitUninterruptibly();
    refused = assertThrows(PageFileException.class, () -> file.read(again(batch)));
    assertTrue(refused.getMessage().contains("event loop takes no requests"), refused::getMessage);
    assertThrows(
        PageFileException.class,
        () -> NettyPageFiles.on(loop).open(folder.resolve("late"), Access.CREATE, BLOCK));
    assertFalse(Files.exists(folder.resolve("late")));
    file.force();
    assertEquals(BLOCKS * BLOCK, file.bytes());
  }

  private static IoBatch again(IoBatch batch) {
    int count = batch.count();
    batch.clear();
    for (int i = 0; i < count; i++) {
      batch.add((long) i * BLOCK, (long) i * BLOCK, BLOCK);
    }
    return batch;
  }

  @Test
  void requestsThatAreNeverAnsweredEndWithTheLoop() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    int descriptor = FileCalls.open(pipe, FileCalls.READ_WRITE);
    FileCalls.setDirect(descriptor, false); // it may block from now on
    NettyRing ring = NettyRing.register(loop.next(), pipe, descriptor);
    IoBatch batch = blocks(2);
    for (int i = 0; i < 2; i++) {
      IoRequest.result(batch.requests(), i, IoRequest.PENDING);
    }
    NettyRing.Submission submission = ring.submit(batch);
    assertEquals("", onLoop(() -> "")); // by now it is with the kernel
    assertFalse(submission.hasEnded());
    shutDown(0);
    submission.await();
    for (int i = 0; i < 2; i++) {
      assertEquals(-Errno.ESHUTDOWN, IoRequest.result(batch.requests(), i));
    }
    ring.deregister();
    FileCalls.close(descriptor);
  }

  @Test
  void aLoopOfAnotherKindIsRefusedAndNoFileIsMade() {
    IoEventLoopGroup selectors = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      PageFileException refused =
          assertThrows(
              PageFileException.class,
              () -> NettyPageFiles.on(selectors).open(folder.resolve("x"), Access.CREATE, BLOCK));
      assertTrue(refused.getMessage().contains("IoUringIoHandler"), refused::getMessage);
      assertFalse(Files.exists(folder.resolve("x")));
    } finally {
      selectors.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  @Test
  void allElseRunsWithoutNettyOnTheClassPath() throws Exception {
    List<URL> others = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!entry.contains("netty")) {
        others.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader loader =
        new URLClassLoader(others.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      assertThrows(
          ClassNotFoundException.class, () -> loader.loadClass("io.netty.channel.IoEventLoop"));
      Class<?> access = loader.loadClass("dev.espalier.io.Access");
      Object opener = loader.loadClass("dev.espalier.io.PageFiles").getField("DIRECT").get(null);
      try (AutoCloseable opened =
          (AutoCloseable)
              loader
                  .loadClass("dev.espalier.io.PageFileOpener")
                  .getMethod("open", Path.class, access, int.class)
                  .invoke(opener, folder.resolve("other"), access.getEnumConstants()[2], BLOCK)) {
        assertEquals(loader, opened.getClass().getClassLoader());
      }
    }
    assertTrue(Files.exists(folder.resolve("other")));
  }
}
