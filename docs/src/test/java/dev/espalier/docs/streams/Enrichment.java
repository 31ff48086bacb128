// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.streams;

import dev.espalier.LongIndex;
import dev.espalier.batch.AnswerConsumer;
import dev.espalier.family.Indexes;
import dev.espalier.stream.ProbeStream;
import dev.espalier.stream.ProbeStreamOptions;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

class Enrichment {
  public static void main(String[] args) throws InterruptedException {
    try (LongIndex prices = Indexes.create()) {
      for (long product = 0; product < 100_000; product++) {
        prices.put(product, product % 100);
      }
      LongAdder total = new LongAdder();
      LongAdder unknown = new LongAdder();
      AnswerConsumer consumer = // is called in a thread of the stream
          (order, product, price, isKnown) -> {
            (isKnown ? total : unknown).add(isKnown ? price : 1);
          };
      ProbeStreamOptions options =
          ProbeStreamOptions.DEFAULT.withResponseTime(Duration.ofMillis(5));
      try (ProbeStream stream = ProbeStream.over(prices, options, consumer)) {
        for (long order = 0; order < 500_000; order++) {
          stream.get(order * 7919 % 100_001, order); // waits while the stream is full
        }
      } // answers what is inside
      System.out.println(total + " in all, " + unknown + " orders of unknown products");
    }
  }
}
