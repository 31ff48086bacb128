// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import dev.espalier.LongIndex;
import dev.espalier.io.IndexStore;
import dev.espalier.io.Isolation;
import dev.espalier.io.Transaction;
import java.nio.file.Path;

class TransactionExample {
  public static void main(String[] args) {
    try (IndexStore store = IndexStore.open(Path.of(args[0], "bank.esp"))) {
      store.index("accounts").put(1, 100);
      store.index("accounts").put(2, 100);
      store.index("journal");
      boolean paid =
          store.transact(
              Isolation.SERIALIZABLE,
              transaction -> {
                LongIndex accounts = transaction.index("accounts");
                long balance = accounts.get(1);
                if (balance < 70) {
                  return false;
                }
                accounts.put(1, balance - 70);
                accounts.put(2, accounts.get(2) + 70);
                transaction.index("journal").put(1, 70);
                return true;
              });
      store.commit(); // what is committed so far is safe from a crash
      System.out.println(paid + " " + store.index("accounts").asMap());
      try (Transaction report = store.begin(Isolation.SNAPSHOT)) {
        store.index("accounts").put(3, 1000); // is not seen by the report
        System.out.println(report.index("accounts").asMap().values());
      }
    }
  }
}
