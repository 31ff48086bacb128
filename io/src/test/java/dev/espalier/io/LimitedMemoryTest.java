// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where a process may use little memory, and has all defaults, a store with several times as much
 * data is neither killed nor wrong. Needs to make a control group: the superuser may, as a rule.
 */
@Tag("thorough")
@Timeout(600)
final class LimitedMemoryTest {
  private static final long LIMIT = 256L << 20;

  /** Data of one process, in tenths of the limit: at night ten times as much. */
  private static final int TENTHS = TestSize.isExhaustive() ? 100 : 20;

  @TempDir private Path folder;

  @Test
  void aProcessWithSeveralTimesItsMemoryInDataEndsWithTheRightAnswers() throws Exception {
    try (ControlGroup group = group(LIMIT)) {
      awaitRight(List.of(start(group, "store", true, LIMIT / 10 * TENTHS)));
    }
  }

  /**
   * The other one has no native access. There is room for the pools of both only because they stop
   * growing when it becomes scarce. A JVM alone takes some 100 MiB, with heap and compiler.
   */
  @Test
  void twoProcessesSideBySideEndWithTheRightAnswers() throws Exception {
    try (ControlGroup group = group(LIMIT + LIMIT / 4)) {
      awaitRight(
          List.of(
              start(group, "one", true, LIMIT / 20 * TENTHS),
              start(group, "other", false, LIMIT / 20 * TENTHS)));
    }
  }

  private static ControlGroup group(long bytes) throws Exception {
    Optional<ControlGroup> group = ControlGroup.make(bytes);
    assumeTrue(group.isPresent(), "this process may make no control group with a limit");
    return group.get();
  }

  private Process start(ControlGroup group, String name, boolean isNative, long dataBytes)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (isNative) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Churn.class.getName()));
    command.addAll(List.of(folder.resolve(name).toString(), Long.toString(dataBytes)));
    return group.start(command);
  }

  private static void awaitRight(List<Process> processes) throws Exception {
    try {
      for (Process process : processes) {
        byte[] said = process.getInputStream().readAllBytes();
        String text = new String(said, StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> "137 is killed; it said " + text);
        assertEquals("right", text.lines().reduce((_, last) -> last).orElse(""), text);
      }
    } finally {
      for (Process process : processes) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  /** Another process: fills a store, changes and removes entries, and looks at all that is left. */
  static final class Churn {
    private static final int VALUE_BYTES = 400;

    /** About what an entry of each of both indexes takes. */
    private static final int ENTRY_BYTES = VALUE_BYTES + 3 * Long.BYTES + 8;

    /** How many entries are changed at places that nothing foretells: three pools of pages. */
    private static final int RANDOM = 6_000;

    private static final long STEP = 0x9e3779b97f4a7c15L;

    private final Path path;
    private final int count;
    private final BitSet changed;
    private final byte[] value = new byte[VALUE_BYTES];

    private Churn(Path path, int count) {
      this.path = path;
      this.count = count;
      this.changed = new BitSet(count);
    }

    /** Takes the store's folder and the bytes of its entries; says "right" at the end. */
    public static void main(String[] arguments) {
      int count = Math.toIntExact(Long.parseLong(arguments[1]) / ENTRY_BYTES);
      Churn churn = new Churn(Path.of(arguments[0]), count);
      churn.change();
      churn.look();
      System.out.println("right");
    }

    private void change() {
      try (IndexStore store = IndexStore.open(path);
          LongIndex longs = store.index("longs");
          BytesIndex strings = store.bytesIndex("strings")) {
        say(store, "open");
        for (int i = 0; i < count; i++) {
          put(longs, strings, i);
        }
        say(store, "filled");
        for (int i = 0; i < count; i++) { // Once: every page of both is read and written.
          if (i % 50 == 0) {
            longs.remove(i);
            strings.delete(key(i));
          } else if (i % 7 == 0) {
            changed.set(i);
            put(longs, strings, i);
          }
        }
        for (int j = 1; j <= RANDOM; j++) {
          int i = (int) Long.remainderUnsigned(j * STEP, count);
          if (i % 50 != 0) {
            changed.set(i);
            put(longs, strings, i);
          }
        }
        say(store, "changed");
      }
    }

    private void look() {
      try (IndexStore store = IndexStore.open(path);
          LongIndex longs = store.index("longs");
          BytesIndex strings = store.bytesIndex("strings")) {
        int left = count - (count + 49) / 50;
        check(longs.size() == left && strings.size() == left, "sizes");
        LongCursor cursor = longs.cursor();
        BytesCursor entries = strings.cursor();
        cursor.first();
        entries.first();
        for (int i = 0; i < count; i++) {
          if (i % 50 != 0) {
            check(cursor.key() == i && cursor.value() == number(i), "long " + i);
            check(Arrays.equals(entries.keyArray(), key(i)), "key " + i);
            cursor.next();
            entries.next();
          }
        }
        for (int j = 1; j <= RANDOM; j++) {
          int i = (int) Long.remainderUnsigned(j * STEP, count);
          boolean isThere = i % 50 != 0;
          check(Arrays.equals(strings.get(key(i)), isThere ? value(i) : null), "value " + i);
          check(longs.containsKey(i) == isThere, "long " + i);
        }
        say(store, "looked at");
      }
    }

    private void put(LongIndex longs, BytesIndex strings, int i) {
      longs.put(i, number(i));
      strings.set(key(i), value(i));
    }

    private long number(int i) {
      return changed.get(i) ? ~(i * STEP) : i * STEP;
    }

    private static byte[] key(int i) {
      return ByteBuffer.allocate(Long.BYTES).putLong(i).array();
    }

    private byte[] value(int i) {
      Arrays.fill(value, (byte) i);
      ByteBuffer.wrap(value).putLong(number(i));
      return value;
    }

    private static void check(boolean isRight, String what) {
      if (!isRight) {
        throw new IllegalStateException("wrong: " + what);
      }
    }

    /** Says what is done, and how much of the pool is used; a test that fails shows it. */
    private static void say(IndexStore store, String what) {
      System.out.printf(Locale.ROOT, "%s, pool %s%n", what, store.statistics());
    }
  }
}
