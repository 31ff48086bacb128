// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.LongIndex;
import dev.espalier.io.IndexStore;
import dev.espalier.io.Isolation;
import dev.espalier.io.Snapshot;
import dev.espalier.io.Transaction;
import dev.espalier.io.WriteBatch;
import java.nio.file.Path;

class ReportBesideWriters {
  public static void main(String[] args) throws InterruptedException {
    try (IndexStore store = IndexStore.open(Path.of(args[0], "bank"))) {
      LongIndex accounts = store.index("accounts");
      for (long account = 0; account < 100; account++) {
        accounts.put(account, 1000);
      }
      Runnable transfers =
          () -> {
            for (long i = 0; i < 20_000; i++) { // moves money, and makes none
              long from = i % 100;
              long to = (7 * i + 1) % 100;
              WriteBatch batch = new WriteBatch().set(accounts, from, accounts.get(from) - 1);
              store.write(batch.set(accounts, to, accounts.get(to) + 1));
            }
          };
      Thread writer = Thread.ofPlatform().start(transfers);
      // For seconds: a transaction, which takes memory for what is written meanwhile
      try (Transaction report = store.begin(Isolation.SNAPSHOT)) {
        System.out.println(report.index("accounts").valueStream().sum());
      }
      // For hours: a snapshot, which takes room in the file
      try (Snapshot report = store.snapshot()) {
        System.out.println(report.index("accounts").valueStream().sum());
      }
      writer.join();
    }
  }
}
