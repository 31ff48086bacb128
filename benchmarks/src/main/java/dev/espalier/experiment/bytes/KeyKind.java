// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.bytes;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;

/** Strings as applications have them for keys. */
enum KeyKind {
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
  };

  private static final String[] SECTIONS = {"news", "articles", "shop/items", "people", "docs/v2"};

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

  /** Returns so many different strings in no order. */
  String[] draw(int count) {
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
