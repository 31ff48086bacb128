// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.List;

/** Further stores for the board, found by the service loader. */
@FunctionalInterface
public interface StoreProvider {

  /** Returns the stores. */
  List<StoreType> stores();
}
