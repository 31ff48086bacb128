// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Times that were once measured, in nanoseconds per key: by method, for batches of several sizes.
 * Between two sizes they follow a line over the logarithm. Played back to a calibration, they tell
 * whether it chooses well, on any machine and every time the same.
 *
 * @param name the tree and its number of entries
 * @param logs the binary logarithms of the sizes
 * @param single for {@link ProbeMethod#SINGLE}, and so on; 0 where not measured, because the time
 *     no longer changes or the method is out of the question
 */
record ReplayedCosts(
    String name, int[] logs, int[] single, int[] group, int[] sorted, int[] buffered)
    implements Stopwatch {
  /** How much slower the first rounds are, until code has been compiled. */
  private static final double[] COLD = {4, 1.5};

  /** Samples of at least so many keys follow on smaller ones and are no longer slow. */
  private static final int WARM = 1 << 20;

  /** What was measured, the sizes of the table's lines being powers of two. */
  static final List<ReplayedCosts> ALL =
      List.of(
          parse(
              "PbPlusTree, 50 million entries",
              """
               0   700   671     0     0
               1   590   395     0     0
               2   546   257     0     0
               3   523   179     0     0
               4   484   184     0     0
               5   672   253     0     0
               6   800   226     0     0
               8   503   185     0     0
              10   491   190     0     0
              12   499   180   204   319
              14   510   181   202   213
              16   500   177   169   176
              18     0   188   129   140
              20     0   182   113   123
              22     0   181    88    94
              """),
          parse(
              "CsbPlusTree, 10 million entries",
              """
               0   386   417     0     0
               1   349   236     0     0
               2   298   142     0     0
               3   295   118     0     0
               4   285    93     0     0
               5   277    93     0     0
               6   272    88     0     0
               8   265    88     0     0
              10   266    86     0     0
              12   282    89   101   176
              14   270    86   116   147
              16   279    93   109   109
              18     0    89   100    91
              20     0    89    78    71
              22     0    87    67    76
              """),
          parse(
              "BPlusTree, 10 million entries",
              """
               0   623   654     0     0
               1   622   444     0     0
               2   620   383     0     0
               3   625   334     0     0
               4   608   333     0     0
               5   616   342     0     0
               6   618   426     0     0
               8   700   376     0     0
              10   629   311     0     0
              12   633   301   312   525
              14   650   322   326   399
              16   649   318   278   320
              18     0   329   246   251
              20     0   315   152   180
              22     0   356   107   151
              """),
          parse(
              "BPlusTree, 10 million entries, other programs running",
              """
               0   858   842     0     0
               1  1047   486     0     0
               2   795   480     0     0
               4   969   567     0     0
               8  1001   554     0     0
              11   755   455     0     0
              12   867   497   589   683
              13   886   387   398   549
              14   702   407   379   707
              15   770   494   344   448
              16   852   420   377   411
              17     0   390   291   324
              18     0   355   279   301
              19     0   375   201   238
              20     0   392   164   239
              21     0   372   136   194
              22     0   403   135   182
              """),
          parse(
              "CssTree, 50 million entries",
              """
               0   635   980     0     0
               1   423   495     0     0
               2   436   255     0     0
               4   400    98     0     0
               8   399    85     0     0
              11   430    85     0     0
              12   418    83   105   286
              13   406    80   105   173
              14   429    86    98   116
              15   388    83    98   120
              16   417    83   104   111
              17     0    85    91   106
              18     0    83    91    98
              19     0    83    85   104
              20     0    85    91    93
              21     0    80    79    91
              22     0    90    70    93
              """));

  /**
   * Reads a table, whose lines are the logarithm of a size and the times of a key by each method,
   * in the order of the components; 0 stands for what was not measured.
   */
  private static ReplayedCosts parse(String name, String table) {
    int[][] lines =
        table
            .lines()
            .map(line -> Arrays.stream(line.strip().split(" +")).mapToInt(Integer::parseInt))
            .map(IntStream::toArray)
            .toArray(int[][]::new);
    return new ReplayedCosts(
        name,
        column(lines, 0),
        column(lines, 1),
        column(lines, 2),
        column(lines, 3),
        column(lines, 4));
  }

  private static int[] column(int[][] lines, int at) {
    return Arrays.stream(lines).mapToInt(line -> line[at]).toArray();
  }

  @Override
  public double nanos(ProbeMethod method, VirtualNodes nodes, int count, int round) {
    double slower = count < WARM && round < COLD.length ? COLD[round] : 1;
    return slower * nanos(method, count);
  }

  double nanos(ProbeMethod method, int count) {
    int[] times =
        switch (method) {
          case SINGLE -> single;
          case GROUP -> group;
          case SORTED -> sorted;
          case BUFFERED -> buffered;
          case AUTO -> throw new IllegalArgumentException("AUTO has no time of its own");
        };
    int whole = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(count);
    double log = whole + Math.log((double) count / (1 << whole)) / Math.log(2);
    int after = 1;
    while (after < logs.length - 1 && logs[after] < log) {
      after++;
    }
    double share = Math.clamp((log - logs[after - 1]) / (logs[after] - logs[after - 1]), 0, 1);
    double before = last(times, after - 1);
    double then = last(times, after);
    boolean isMeasured = share < 1 ? before != 0 : then != 0;
    return isMeasured ? before * (1 - share) + then * share : Double.POSITIVE_INFINITY;
  }

  /** Returns the time with a size, or if there is none with the size before it that has one. */
  private static int last(int[] times, int at) {
    int i = at;
    while (i > 0 && times[i] == 0) {
      i--;
    }
    return times[i];
  }

  /** The size with which a choice is furthest from the best method, and by what factor. */
  record Worst(double factor, int count, ProbeMethod chosen) {}

  /** Holds a choice against the best method, with four sizes from each power of two to the next. */
  Worst worst(IntFunction<ProbeMethod> chooser) {
    Worst worst = new Worst(0, 0, ProbeMethod.AUTO);
    for (int log = logs[0]; log <= logs[logs.length - 1]; log++) {
      for (int quarter = 4; quarter < 8; quarter++) {
        int count = (int) ((long) quarter << log >> 2);
        double best = Double.POSITIVE_INFINITY;
        for (ProbeMethod method : ProbeMethod.values()) {
          if (method != ProbeMethod.AUTO) {
            best = Math.min(best, nanos(method, count));
          }
        }
        ProbeMethod chosen = chooser.apply(count);
        double factor = nanos(chosen, count) / best;
        if (factor > worst.factor) {
          worst = new Worst(factor, count, chosen);
        }
      }
    }
    return worst;
  }

  @Override
  public String toString() {
    return name;
  }
}
