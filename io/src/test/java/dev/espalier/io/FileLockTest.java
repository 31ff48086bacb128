// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes can't have an index open if one of them may change it. */
@Timeout(60)
class FileLockTest {
  @TempDir private Path folder;

  /** Another process: opens an index, says how that went, and waits for the end of its input. */
  static final class Holder {
    private Holder() {}

    /** Opens the file that is named, for reading only if there is a second argument. */
    public static void main(String[] arguments) throws IOException {
      FileOptions options =
          arguments.length > 1
              ? FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY)
              : FileOptions.DEFAULT;
      try (LongIndex index = Espalier.open(Path.of(arguments[0]), options)) {
        System.out.println("open " + index.size());
        while (System.in.read() >= 0) {
          // Holds the file.
        }
      } catch (PageFileException refused) {
        System.out.println(refused.getMessage());
      }
    }
  }

  /** Another process: tells whether a file is locked. */
  static final class Looker {
    private Looker() {}

    public static void main(String[] arguments) throws IOException {
      try (FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
        System.out.println(file.tryLock() == null ? "locked" : "free");
      }
    }
  }

  private static Process start(String... arguments) throws IOException {
    return start(Holder.class, arguments);
  }

  private static Process start(Class<?> main, String... arguments) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            java, "-Xmx64m", "-cp", System.getProperty("java.class.path"), main.getName());
    builder.command().addAll(List.of(arguments));
    return builder.start();
  }

  private static String firstLine(Process process) throws IOException {
    BufferedReader reader = process.inputReader();
    return Objects.requireNonNull(reader.readLine());
  }

  private static void end(Process process) throws IOException, InterruptedException {
    process.outputWriter().close();
    assertEquals(0, process.waitFor());
  }

  @Test
  void oneProcessWritesOrManyRead() throws IOException, InterruptedException {
    Path path = folder.resolve("index.esp");
    try (LongIndex index = Espalier.open(path)) {
      index.put(1, 1);
      index.flush();
      Process second = start(path.toString());
      String refusal = firstLine(second);
      assertTrue(refusal.contains("another process has the file open"), refusal);
      end(second);
      Process reader = start(path.toString(), "for reading");
      refusal = firstLine(reader);
      assertTrue(refusal.contains("another process has the file open"), refusal);
      end(reader);
    }
    Process reader = start(path.toString(), "for reading");
    assertEquals("open 1", firstLine(reader));
    try (LongIndex index =
        Espalier.open(path, FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY))) {
      assertEquals(1, index.get(1));
    }
    assertThrows(PageFileException.class, () -> Espalier.open(path));
    end(reader);
    try (LongIndex index = Espalier.open(path)) {
      index.put(2, 2);
    }
  }

  @Test
  void hardLinkOfAnOpenFileIsTheSameFile() throws IOException, InterruptedException {
    Path path = folder.resolve("index.esp");
    Path link = folder.resolve("link.esp");
    try (LongIndex index = Espalier.open(path)) {
      index.put(1, 1);
      index.flush();
      Files.createLink(link, path);
      for (Path name : List.of(link, path)) {
        PageFileException refused =
            assertThrows(PageFileException.class, () -> Espalier.open(name));
        assertTrue(refused.getMessage().contains("this process has"), refused.getMessage());
      }
      // The lock of this process is still there.
      Process second = start(link.toString());
      String refusal = firstLine(second);
      assertTrue(refusal.contains("another process has the file open"), refusal);
      end(second);
    }
  }

  @Test
  void everyStripeIsLocked() throws IOException, InterruptedException {
    Path stripe = folder.resolve("stripe.esp");
    try (LongIndex index =
        Espalier.open(folder.resolve("index.esp"), FileOptions.DEFAULT.withStripes(stripe))) {
      index.put(1, 1);
      FileOptions options = FileOptions.DEFAULT.withStripes(stripe);
      PageFileException refused =
          assertThrows(
              PageFileException.class, () -> Espalier.open(folder.resolve("other.esp"), options));
      assertTrue(refused.getMessage().contains("this process has"), refused.getMessage());
      Process other = start(Looker.class, stripe.toString());
      assertEquals("locked", firstLine(other));
      end(other);
    }
    Process other = start(Looker.class, stripe.toString());
    assertEquals("free", firstLine(other));
    end(other);
  }

  /** As it is if another copy of these classes, in the same process, has the file open. */
  @Test
  void lockThatThisProcessHasByOtherMeansIsTold() throws IOException {
    Path path = folder.resolve("index.esp");
    Espalier.open(path).close();
    try (FileChannel other = FileChannel.open(path, StandardOpenOption.WRITE)) {
      assertTrue(other.lock().isValid());
      PageFileException refused = assertThrows(PageFileException.class, () -> Espalier.open(path));
      assertEquals(path, refused.path());
      assertTrue(refused.getMessage().contains("this process has"), refused.getMessage());
    }
    Espalier.open(path).close();
  }
}
