// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import dev.espalier.shuttle.ShuttleTree.Schedule;
import java.util.Arrays;

/**
 * Which buffers the edges below a node have: a function of the node's height and of nothing else.
 *
 * <p>A node of height {@code h + 1} has, on each of its edges, one buffer for every class {@code j}
 * up to {@code k}, where the Fibonacci number {@code F(k)} is the Fibonacci factor of {@code h};
 * that of class {@code j} is as high as {@code F(H(j))} says. Where {@code H(j)} is not positive,
 * there is no buffer.
 */
final class BufferSchedule {
  /** More levels than 2^32 lines of memory have room for, by a factor of many. */
  static final int MAX_HEIGHT = 24;

  private static final double LOG_PHI = Math.log((1 + Math.sqrt(5)) / 2);

  /** The paper's classes begin with some constant: the formulas say nothing sensible of 1. */
  private static final int LEAST_CLASS = 4;

  private static final int[] FIBONACCI = new int[20];

  static {
    FIBONACCI[1] = 1;
    for (int k = 2; k < FIBONACCI.length; k++) {
      FIBONACCI[k] = FIBONACCI[k - 1] + FIBONACCI[k - 2];
    }
  }

  /** By the height of the node: the classes of the buffers of one edge, small buffers first. */
  private final int[][] classes = new int[MAX_HEIGHT + 1][];

  private final Schedule schedule;

  BufferSchedule(Schedule schedule) {
    this.schedule = schedule;
    for (int height = 0; height <= MAX_HEIGHT; height++) {
      classes[height] = height < 2 ? new int[0] : classesBelow(height - 1);
    }
  }

  private int[] classesBelow(int height) {
    int most = index(factor(height));
    int[] found = new int[most + 1];
    int count = 0;
    for (int j = 1; j <= most; j++) {
      if (heightIndex(schedule, j) > 0) {
        found[count++] = j;
      }
    }
    return Arrays.copyOf(found, count);
  }

  /** Returns the number of buffers on each edge below a node. */
  int lists(int height) {
    return classes[height].length;
  }

  /** Returns the class of the buffer in a place of the lists below a node. */
  int sizeClass(int height, int list) {
    return classes[height][list];
  }

  /** Returns the height of the buffer in a place of the lists below a node. */
  int bufferHeight(int height, int list) {
    return fibonacci(heightIndex(schedule, classes[height][list]));
  }

  /** Returns the place of a class in the lists below a node, or -1 if they have none. */
  int listOf(int height, int sizeClass) {
    for (int list = 0; list < classes[height].length; list++) {
      if (classes[height][list] == sizeClass) {
        return list;
      }
    }
    return -1;
  }

  /** Returns the index of a buffer's height, or 0 or less where there is no buffer. */
  static int heightIndex(Schedule schedule, int sizeClass) {
    if (sizeClass < LEAST_CLASS) {
      return 0;
    }
    if (schedule == Schedule.LITERAL) {
      return sizeClass - (int) Math.ceil(2 * Math.log(sizeClass) / LOG_PHI);
    }
    if (sizeClass == LEAST_CLASS) {
      return 2;
    }
    int shifted = sizeClass - (int) Math.ceil(2 * Math.log(sizeClass / 5.0) / LOG_PHI);
    return Math.min(sizeClass - 2, shifted);
  }

  /** Returns the Fibonacci factor: what is left of a height when larger numbers are taken off. */
  static int factor(int height) {
    int left = height;
    while (fibonacci(index(left)) != left) {
      left -= fibonacci(index(left));
    }
    return left;
  }

  /** Returns the index of the largest Fibonacci number up to {@code most}; 2 for the number 1. */
  static int index(int most) {
    int k = 2;
    while (FIBONACCI[k + 1] <= most) {
      k++;
    }
    return k;
  }

  static int fibonacci(int k) {
    return FIBONACCI[k];
  }

  /** Returns the height at which a piece of the layout is cut: its bottoms' height. */
  static int cut(int pieceHeight) {
    return fibonacci(index(pieceHeight - 1));
  }
}
