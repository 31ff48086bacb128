// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.LongIndex;
import dev.espalier.io.IndexStore;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

class BackupWhileRunning {
  public static void main(String[] args) throws InterruptedException {
    Path copy = Path.of(args[0], "copy");
    try (IndexStore store = IndexStore.open(Path.of(args[0], "events"))) {
      LongIndex events = store.index("events");
      AtomicBoolean isOver = new AtomicBoolean();
      Runnable writing =
          () -> {
            for (long event = 0; !isOver.get(); event++) {
              events.put(event, 10 * event);
            }
          };
      Thread writer = Thread.ofPlatform().start(writing);
      while (events.size() < 10_000) {
        Thread.onSpinWait();
      }
      store.backup(copy); // as of one moment; a whole store in one file, which survives a crash
      isOver.set(true);
      writer.join();
    }
    try (IndexStore store = IndexStore.open(copy)) {
      store.verify();
      LongIndex events = store.index("events");
      System.out.println(events.size() >= 10_000);
      System.out.println(events.lastKey() == events.size() - 1); // nothing between is missing
    }
  }
}
