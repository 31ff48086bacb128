// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.CompositeKey;
import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.LongNavigable;
import dev.espalier.family.Indexes;

class QueueByTime {
  private static final CompositeKey KEY = CompositeKey.of(40, 24); // a time and a job

  public static void main(String[] args) {
    try (LongIndex queue = Indexes.create()) {
      queue.put(KEY.encode(20, 1), 0);
      queue.put(KEY.encode(10, 2), 0);
      queue.put(KEY.encode(10, 3), 0);
      queue.put(KEY.encode(35, 4), 0);

      LongEntry entry = new LongEntry();
      for (int now = 0; now <= 30; now += 10) {
        // Of several threads that poll, each entry goes to one
        LongNavigable due = queue.headView(KEY.greatest(now), true);
        while (due.pollFirst(entry)) {
          long job = KEY.part(entry.key(), 1);
          System.out.println("at " + now + ": job " + job);
          if (job == 2 && now < 20) {
            queue.put(KEY.encode(now + 20, job), 0); // again later
          }
        }
      }
      System.out.println("next at " + KEY.part(queue.firstKey(), 0));
    }
  }
}
