// SPDX-License-Identifier: Apache-2.0

/** The index-nested-loop join, and streams of probes. */
@SuppressWarnings("requires-automatic") // HdrHistogram is not a module.
module dev.espalier.join {
  requires transitive dev.espalier.core;
  requires HdrHistogram;
  requires static transitive org.jspecify;

  exports dev.espalier.join;
  exports dev.espalier.stream;
}
