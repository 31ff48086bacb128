// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

/** An index that can be probed in several ways. */
interface BuiltIndex extends AutoCloseable {

  /** Gets ready for the probes of a setting. */
  Probing prepare(ProbeSetting setting);

  /** Gets ready for the probes of a setting in such a way that a simulator sees all it can. */
  default Probing prepareSeen(ProbeSetting setting) {
    return prepare(setting);
  }

  /** Returns what the probes of a setting are to return. */
  long answer(ProbeSetting setting);

  @Override
  void close();
}
