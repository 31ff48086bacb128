// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.security.SecureRandom;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What a store gets from outside besides its options, so that a test can replace it.
 *
 * @param files the file system
 * @param random source of ids and nonces
 * @param scatters whether slots are taken anywhere, which must make no difference
 * @param inBackground whether other threads make checkpoints and the segments of the log
 * @param without the rules that are left out
 */
record StoreEnvironment(
    StoreFiles files,
    RandomGenerator random,
    boolean scatters,
    boolean inBackground,
    Set<Rule> without) {

  /** An environment in which all rules are followed. */
  StoreEnvironment(
      StoreFiles files, RandomGenerator random, boolean scatters, boolean inBackground) {
    this(files, random, scatters, inBackground, Set.of());
  }

  /** Returns this environment with another file system. */
  StoreEnvironment withFiles(StoreFiles others) {
    return new StoreEnvironment(others, random, scatters, inBackground, without);
  }

  /** Tells whether a rule is followed. */
  boolean keeps(Rule rule) {
    return !without.contains(rule);
  }

  /** Returns the environment of all stores that do not belong to a test. */
  static StoreEnvironment of(FileOptions options) {
    PageFileOpener engine = options.engine();
    return new StoreEnvironment(
        new SystemFiles(Stripes.opener(engine, options.stripes()), PageFiles.forLog(engine)),
        new SecureRandom(),
        false,
        true);
  }
}
