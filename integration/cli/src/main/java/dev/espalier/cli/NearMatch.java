// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Finds the names that a misspelled one may stand for. */
public final class NearMatch {
  /** Of so many letters, one may be wrong. */
  private static final int LETTERS_PER_MISTAKE = 3;

  private NearMatch() {}

  /**
   * Returns a question such as {@code "; did you mean PbPlusTree?"}, or nothing if no name is near.
   */
  public static String question(String word, Collection<String> names) {
    return question(of(word, names));
  }

  /** Returns a question for names that are near, or nothing if there are none. */
  static String question(List<String> near) {
    return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
  }

  /**
   * Returns the nearest names, several if they are equally near: those with the fewest letters to
   * insert, delete or replace, or else those that begin with the word.
   */
  static List<String> of(String word, Collection<String> names) {
    List<String> near = new ArrayList<>();
    int least = Math.ceilDiv(word.length(), LETTERS_PER_MISTAKE);
    for (String name : names) {
      int distance = distance(lower(word), lower(name));
      if (distance < least) {
        near.clear();
      }
      if (distance <= least) {
        near.add(name);
        least = distance;
      }
    }
    if (near.isEmpty() && !word.isEmpty()) {
      names.stream().filter(name -> lower(name).startsWith(lower(word))).forEach(near::add);
    }
    return near;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Returns the Levenshtein distance, row by row of its table. */
  static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int column = 0; column <= to.length(); column++) {
      row[column] = column;
    }
    for (int line = 1; line <= from.length(); line++) {
      int diagonal = row[0];
      row[0] = line;
      for (int column = 1; column <= to.length(); column++) {
        int replaced = diagonal + (from.charAt(line - 1) == to.charAt(column - 1) ? 0 : 1);
        diagonal = row[column];
        row[column] = Math.min(replaced, Math.min(row[column], row[column - 1]) + 1);
      }
    }
    return row[to.length()];
  }
}
