// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stores that are measured and checked, and broken ones that are found out. */
final class MeasuredStoreTest {
  private static final int ENTRIES = 500;
  private static final Duration TIME = Duration.ofMillis(10);

  /** Enough for hundreds of operations on a busy machine: the fiftieth is the first wrong one. */
  private static final Duration TIME_OF_THE_BROKEN = Duration.ofMillis(300);

  private static final Setting LONGS =
      new Setting(Setting.Kind.LONGS, Setting.Data.MEMORY, Setting.Sync.NOTHING, ENTRIES);

  /** Every store there is, in every setting that it has. */
  static Stream<StoreInSetting> stores() {
    return new Plan(
            EnumSet.of(Setting.Kind.LONGS, Setting.Kind.STRINGS_100),
            EnumSet.allOf(Setting.Data.class),
            EnumSet.allOf(Setting.Sync.class),
            EnumSet.allOf(Crew.class),
            EnumSet.allOf(Work.class),
            EnumSet.allOf(Distribution.class),
            ENTRIES)
        .settings().stream()
            .flatMap(
                setting ->
                    Stores.all().stream()
                        .filter(type -> type.isFor().test(setting))
                        .map(type -> new StoreInSetting(type, setting)));
  }

  /** A row of the board in one setting. */
  record StoreInSetting(StoreType type, Setting setting) {
    @Override
    public String toString() {
      return type.name() + ", " + setting.label();
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("stores")
  void everyStoreDoesEveryWork(StoreInSetting some) {
    try (MeasuredStore store = new MeasuredStore(some.type, some.setting)) {
      for (Work work : Work.values()) {
        for (Crew crew : List.of(Crew.ONE, Crew.TWO)) {
          Figure figure = store.measure(work, work.distributions().getFirst(), crew, TIME);
          assertTrue(figure.rate() > 0 && figure.p50() <= figure.p99_9(), figure::toString);
        }
      }
    }
  }

  @Test
  void virtualThreadsDoTheirShare() {
    try (MeasuredStore store = new MeasuredStore(SkipListStore.TYPE, LONGS)) {
      store.measure(Work.A, Distribution.ZIPF, Crew.VIRTUAL, TIME);
      store.measure(Work.D, Distribution.LATEST, Crew.VIRTUAL, TIME);
    }
  }

  /** A store that does something wrong now and then. */
  private abstract static class Broken implements BoardSession {
    final BoardSession session = SkipListStore.TYPE.factory().apply(LONGS).session(1);
    private final AtomicLong calls = new AtomicLong();

    boolean isTime() {
      return calls.incrementAndGet() % 50 == 0;
    }

    @Override
    public long read(long entry) {
      return session.read(entry);
    }

    @Override
    public void write(long entry, long word) {
      session.write(entry, word);
    }

    @Override
    public void remove(long entry) {
      session.remove(entry);
    }

    @Override
    public void scan(long entry, int count, Visitor visitor) {
      session.scan(entry, count, visitor);
    }

    @Override
    public void writeTogether(long[] entries, long[] words, int count) {
      session.writeTogether(entries, words, count);
    }

    @Override
    public void removeTogether(long[] entries, int count) {
      session.removeTogether(entries, count);
    }
  }

  private static void assertFound(String message, Work work, Broken session) {
    StoreType type =
        new StoreType(
            "broken",
            false,
            "",
            _ -> true,
            _ ->
                new BoardStore() {
                  @Override
                  public BoardSession session(int threads) {
                    return session;
                  }

                  @Override
                  public void close() {}
                });
    try (MeasuredStore store = new MeasuredStore(type, LONGS)) {
      WrongAnswerException wrong =
          assertThrows(
              WrongAnswerException.class,
              () ->
                  store.measure(
                      work, work.distributions().getFirst(), Crew.TWO, TIME_OF_THE_BROKEN));
      assertTrue(wrong.getMessage().matches(message), wrong.getMessage());
    }
  }

  @Test
  void lostUpdateIsFound() {
    assertFound(
        "read of entry \\d+ found version \\d+ of entry \\d+; versions from \\d+ to \\d+ were"
            + " possible",
        Work.OVERWRITE,
        new Broken() {
          @Override
          public void write(long entry, long word) {
            if (!isTime()) {
              session.write(entry, word);
            }
          }
        });
  }

  @Test
  void valueOfAnotherKeyIsFound() {
    assertFound(
        "read of entry \\d+ found version 1 of entry \\d+; versions from 1 to 1 were possible",
        Work.C,
        new Broken() {
          @Override
          public long read(long entry) {
            return session.read(isTime() ? (entry + 1) % ENTRIES : entry);
          }
        });
  }

  @Test
  void lostEntryIsFound() {
    assertFound(
        "read of entry \\d+ found nothing; .*",
        Work.FILL_RANDOM,
        new Broken() {
          @Override
          public void write(long entry, long word) {
            if (!isTime()) {
              session.write(entry, word);
            }
          }
        });
  }

  @Test
  void entryThatWasRemovedAndIsThereIsFound() {
    assertFound(
        "read of entry \\d+ found version 1 of entry \\d+; .*",
        Work.DELETE_RANDOM,
        new Broken() {
          @Override
          public void remove(long entry) {}
        });
  }

  @Test
  void scanThatSkipsItsFirstEntryIsFound() {
    assertFound(
        "scan of entry \\d+ found version 1 of entry \\d+; .*|scan of \\d+ entries from .*",
        Work.E,
        new Broken() {
          @Override
          public void scan(long entry, int count, Visitor visitor) {
            boolean[] skips = {isTime()};
            session.scan(
                entry,
                count + 1,
                (key, word) -> {
                  if (skips[0]) {
                    skips[0] = false;
                  } else {
                    visitor.visit(key, word);
                  }
                });
          }
        });
  }

  @Test
  void scanThatEndsEarlyIsFound() {
    assertFound(
        "scan of \\d+ entries from entry \\d+ found \\d+",
        Work.E,
        new Broken() {
          @Override
          public void scan(long entry, int count, Visitor visitor) {
            session.scan(entry, Math.max(1, isTime() ? count / 2 : count), visitor);
          }
        });
  }
}
