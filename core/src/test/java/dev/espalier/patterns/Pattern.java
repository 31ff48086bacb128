// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import java.util.Locale;
import java.util.function.LongUnaryOperator;

/**
 * Ways in which people use ordered maps. Keys that came at random are what trees are usually
 * measured with; time is not random.
 */
public enum Pattern {
  RANDOM("put random keys", random()),
  ASCENDING("put ascending keys", puts(i -> i)),
  DESCENDING("put descending keys", puts(i -> -i)),
  INWARDS("put from both ends inwards", puts(i -> i % 2 == 0 ? i : (1L << 40) - i)),
  OUTWARDS("put from the middle outwards", puts(i -> i % 2 == 0 ? i : -i)),
  STREAMS("put to 100 ascending streams", puts(i -> (i % 100 << 32) + i / 100)),
  HOT_SPOT("put 9 of 10 keys into a narrow range", HotSpot::new),
  STEP("put a random key, look for another, remove that", Steps.Replace::new),
  QUEUE("put right, find the first, remove it", Steps.Queue::new),
  TIMERS("find the first timer, remove it, set another", Steps.Timers::new),
  DRAIN("find the first of random keys, remove it", Steps.Drain::new),
  WINDOW("put what is nearly ascending, remove ranges that expire", Ranges.Window::new),
  LOGS("append to 100 logs, cut them off at their left", Ranges.Logs::new),
  SECONDARY("move an entry of a secondary index, scan 10 there", Steps.Secondary::new),
  BULK_UPDATE("get and put existing keys in their order", Steps.BulkUpdate::new),
  REFILL("remove a range of 1,000 and put it anew", Ranges.Refill::new),
  SCAN("scan 10 from a random key", Steps.Scan::new),
  SCAN_BEHIND_DEAD("scan 10 behind removed entries", Steps.ScanBehindDead::new),
  REMOVE_RANGE("remove ranges from the left, per entry", Ranges.FromTheLeft::new);

  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // constructors, and lambdas that capture the like
  private final Maker maker;

  /** Begins a pattern. */
  @FunctionalInterface
  private interface Maker {
    PatternRun begin(PatternTarget target, int size, long seed);
  }

  Pattern(String meaning, Maker maker) {
    this.meaning = meaning;
    this.maker = maker;
  }

  /** Returns what a step does, for tables. */
  public String meaning() {
    return meaning;
  }

  /** Returns the name in lower case, its words apart. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /**
   * Begins the pattern on an empty target.
   *
   * @param size how many entries it is about: those that it puts, or those that it begins with
   */
  public PatternRun begin(PatternTarget target, int size, long seed) {
    return maker.begin(target, size, seed);
  }

  private static Maker random() {
    return (target, size, seed) ->
        new PatternRun(target, size, seed) {
          @Override
          public int step() {
            target.put(randomKey(), 1);
            return 1;
          }
        };
  }

  /** Puts the keys that a function of 0, 1, 2 and so on has. */
  private static Maker puts(LongUnaryOperator key) {
    return (target, size, seed) ->
        new PatternRun(target, size, seed) {
          private long next;

          @Override
          public int step() {
            target.put(key.applyAsLong(next), next);
            next++;
            return 1;
          }
        };
  }

  private static final class HotSpot extends PatternRun {
    HotSpot(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAtRandom(size / 2);
    }

    @Override
    public int step() {
      long key = randomKey();
      target.put(random.nextInt(10) == 0 ? key : key >> 24, 1);
      return 1;
    }
  }
}
