// SPDX-License-Identifier: Apache-2.0

/**
 * The index-nested-loop join, streams of probes, the command line, the experiments, and adapters to
 * other systems.
 */
@SuppressWarnings("requires-automatic") // Some libraries are not modules.
module dev.espalier.integration {
  requires transitive dev.espalier.core;
  requires HdrHistogram;
  requires dev.espalier.io;
  requires info.picocli;
  requires it.unimi.dsi.fastutil;
  requires java.desktop;
  requires static jdk.incubator.vector;
  requires static transitive org.jspecify;
  requires org.knowm.xchart;
  requires tpch;

  exports dev.espalier.join;
  exports dev.espalier.stream;

  // Options and the like are set by reflection.
  opens dev.espalier.cli to
      info.picocli;
}
