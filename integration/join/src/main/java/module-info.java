// SPDX-License-Identifier: Apache-2.0

/** An index-nested-loop join, and streams of lookups with a response time. */
@SuppressWarnings("requires-automatic") // HdrHistogram is not a module.
module dev.espalier.join {
  requires transitive dev.espalier.core;
  requires HdrHistogram;
  requires static transitive org.jspecify;

  exports dev.espalier.join;
  exports dev.espalier.stream;
}
