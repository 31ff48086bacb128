// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.benchmarks.WorkerJvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM of its own has of a file in the system's cache, with a limit and without. */
final class MemoryGroupTest {
  private static final int FILE_BYTES = 128 << 20;
  private static final int MORE_BYTES = 8 << 20;

  @TempDir private Path folder;

  @Test
  void theSystemCachesNoMoreThanTheLimitLeaves() {
    try (WorkerJvm jvm = start()) {
      String[] answer = jvm.ask(folder.resolve("file").toString()).split(" ", -1);
      assumeTrue(answer.length == 4, () -> String.join(" ", answer));
      long before = Long.parseLong(answer[0]);
      long unbounded = Long.parseLong(answer[1]);
      long bounded = Long.parseLong(answer[2]);
      long limit = Long.parseLong(answer[3]);
      assertTrue(unbounded - before > FILE_BYTES / 4 * 3, () -> before + ", " + unbounded);
      assertTrue(bounded <= limit, () -> bounded + " of " + limit);
      assertTrue(limit < unbounded, () -> limit + ", " + unbounded);
    }
  }

  @Test
  void nothingIsLeftOfAGroup() throws IOException {
    String group;
    try (WorkerJvm jvm = start()) {
      String answer = jvm.ask("leave");
      assumeTrue(!answer.equals(Program.NONE));
      group = answer;
      assertFalse(Files.exists(Path.of(group)), group);
      assertEquals("back", jvm.ask("where " + group));
    }
  }

  private static WorkerJvm start() {
    return new WorkerJvm(
        "a member", List.of("-Xmx64m", "-Xint"), Program.class, List.of(), Program.READY);
  }

  /** The JVM that is measured. */
  static final class Program {
    static final String READY = "ready";
    static final String NONE = "no group can be made";

    private Program() {}

    public static void main(String[] args) throws IOException {
      System.out.println(READY);
      String request;
      while ((request = readLine()) != null) {
        System.out.println(answer(request));
      }
    }

    private static String readLine() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = System.in.read(); next != '\n'; next = System.in.read()) {
        if (next < 0) {
          return null;
        }
        line.append((char) next);
      }
      return line.toString();
    }

    private static String answer(String request) throws IOException {
      if (request.startsWith("where ")) {
        String groups = Files.readString(Path.of("/proc/self/cgroup"));
        Path left = Path.of(request.substring("where ".length())).getFileName();
        return groups.contains(left.toString()) ? "still there" : "back";
      }
      Optional<MemoryGroup> joined = MemoryGroup.join();
      if (joined.isEmpty()) {
        return NONE;
      }
      try (MemoryGroup group = joined.get()) {
        Path folder = folder();
        if (request.equals("leave")) {
          return folder.toString();
        }
        Path file = Path.of(request);
        long before = number(folder, "usage_in_bytes", "current");
        byte[] bytes = new byte[1 << 20];
        try (var out = Files.newOutputStream(file)) {
          for (int i = 0; i < FILE_BYTES; i += bytes.length) {
            out.write(bytes);
          }
        }
        long unbounded = number(folder, "usage_in_bytes", "current");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.force(true); // What is not written yet can't leave the cache.
        }
        group.bound(MORE_BYTES);
        try (var in = Files.newInputStream(file)) {
          while (in.read(bytes) >= 0) {}
        }
        long bounded = number(folder, "usage_in_bytes", "current");
        long limit = number(folder, "limit_in_bytes", "max");
        return before + " " + unbounded + " " + bounded + " " + limit;
      }
    }

    private static Path folder() throws IOException {
      String name = "espalier-board-" + ProcessHandle.current().pid();
      try (Stream<Path> all =
          Stream.of(Path.of("/sys/fs/cgroup/memory", name), Path.of("/sys/fs/cgroup", name))) {
        return all.filter(Files::isDirectory).findFirst().orElseThrow();
      }
    }

    private static long number(Path folder, String first, String second) throws IOException {
      Path file = folder.resolve("memory." + first);
      return Long.parseLong(
          Files.readString(Files.exists(file) ? file : folder.resolve("memory." + second)).strip());
    }
  }
}
