// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import java.util.List;

/** More structures to compare with, found by {@link java.util.ServiceLoader}. */
public interface PeerProvider {

  /** Returns the structures. */
  List<PeerType> peers();
}
