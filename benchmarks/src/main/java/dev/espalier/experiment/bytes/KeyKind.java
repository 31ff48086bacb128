// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.bytes;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.UUID;

/** Strings as applications have them for keys. */
public enum KeyKind {
  /** Addresses of pages, several hundred of a site; about 50 bytes. */
  URL("URLs") {
    @Override
    String next(SplittableRandom random) {
      return "https://www.site%d.example/%s/%s"
          .formatted(
              random.nextInt(3_000),
              SECTIONS[random.nextInt(SECTIONS.length)],
              letters(random, 8 + random.nextInt(12)));
    }
  },
  /** Mail addresses at fifty hosts; about 25 bytes. */
  MAIL("e-mail addresses") {
    @Override
    String next(SplittableRandom random) {
      return "%s.%s@mail%d.example"
          .formatted(
              letters(random, 2 + random.nextInt(5)),
              letters(random, 4 + random.nextInt(6)),
              random.nextInt(50));
    }
  },
  /** Random UUIDs in hexadecimal; 36 bytes. */
  UUIDS("UUIDs") {
    @Override
    String next(SplittableRandom random) {
      return new UUID(random.nextLong(), random.nextLong()).toString();
    }
  },
  /** Paths of source files in several thousand folders; about 60 bytes. */
  PATH("file paths") {
    @Override
    String next(SplittableRandom random) {
      return "/home/%s/projects/%s-%d/src/%s/%s%d.java"
          .formatted(
              word(random),
              word(random),
              random.nextInt(40),
              word(random),
              word(random),
              random.nextInt(10_000));
    }
  },
  /** Five to nine common words; about 45 bytes. */
  WORDS("words") {
    @Override
    String next(SplittableRandom random) {
      StringJoiner words = new StringJoiner(" ");
      for (int left = 5 + random.nextInt(5); left > 0; left--) {
        words.add(word(random));
      }
      return words.toString();
    }
  };

  private static final String[] SECTIONS = {"news", "articles", "shop/items", "people", "docs/v2"};

  private static final String[] COMMON = {
    "above",
    "answer",
    "apple",
    "autumn",
    "bread",
    "bridge",
    "brother",
    "candle",
    "castle",
    "city",
    "cloud",
    "copper",
    "corner",
    "country",
    "dance",
    "daughter",
    "desert",
    "doctor",
    "dream",
    "earth",
    "evening",
    "farm",
    "father",
    "fire",
    "flower",
    "forest",
    "friend",
    "garden",
    "glass",
    "gold",
    "grass",
    "green",
    "harbour",
    "heart",
    "hill",
    "horse",
    "house",
    "ice",
    "island",
    "journey",
    "kitchen",
    "lake",
    "letter",
    "light",
    "market",
    "meadow",
    "metal",
    "milk",
    "minute",
    "moon",
    "morning",
    "mother",
    "mountain",
    "music",
    "night",
    "north",
    "ocean",
    "orange",
    "paper",
    "people",
    "picture",
    "pocket",
    "rain",
    "river",
    "road",
    "salt",
    "school",
    "season",
    "shadow",
    "silver",
    "sister",
    "snow",
    "song",
    "south",
    "spring",
    "station",
    "stone",
    "storm",
    "story",
    "street",
    "summer",
    "table",
    "town",
    "train",
    "tree",
    "valley",
    "village",
    "voice",
    "water",
    "wheel",
    "window",
    "winter",
    "wood",
    "yellow"
  };

  private final String label;

  KeyKind(String label) {
    this.label = label;
  }

  abstract String next(SplittableRandom random);

  private static String letters(SplittableRandom random, int count) {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < count; i++) {
      letters.append((char) ('a' + random.nextInt(26)));
    }
    return letters.toString();
  }

  private static String word(SplittableRandom random) {
    return COMMON[random.nextInt(COMMON.length)];
  }

  /** Returns so many different strings in no order. */
  public String[] draw(int count) {
    SplittableRandom random = new SplittableRandom(name().hashCode());
    Set<String> seen = HashSet.newHashSet(count);
    String[] drawn = new String[count];
    for (int i = 0; i < count; ) {
      String next = next(random);
      if (seen.add(next)) {
        drawn[i++] = next;
      }
    }
    return drawn;
  }

  @Override
  public String toString() {
    return label;
  }
}
