// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.CompositeKey;
import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import java.util.stream.LongStream;

class Leaderboard {
  private static final CompositeKey KEY = CompositeKey.of(32, 32); // a score and a player

  /** Scores by player, and the same in the order of scores. */
  private final LongIndex scores = Indexes.create();

  private final LongIndex board = Indexes.create();

  void add(long player, long points) {
    long score = scores.addTo(player, points);
    board.delete(KEY.encode(score - points, player));
    board.set(KEY.encode(score, player), 0);
  }

  long rank(long player) {
    long others = KEY.greatest(scores.get(player)); // who has more comes after this
    return 1 + board.countRange(others, false, Long.MAX_VALUE, true);
  }

  public static void main(String[] args) {
    Leaderboard game = new Leaderboard();
    for (long player = 0; player < 1000; player++) {
      game.add(player, player * 37 % 1000);
    }
    game.add(500, 499);
    LongStream best = game.board.descendingView().keyStream().limit(3);
    best.forEach(key -> System.out.println("player " + KEY.part(key, 1) + ": " + KEY.part(key, 0)));
    System.out.println("player 500 is number " + game.rank(500));
    System.out.println("player 0 is number " + game.rank(0));
  }
}
