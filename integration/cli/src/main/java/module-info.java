// SPDX-License-Identifier: Apache-2.0

/** The command line. It exports nothing: its classes are for the launcher and the benchmarks. */
@SuppressWarnings("requires-automatic") // Some libraries are not modules.
module dev.espalier.cli {
  requires dev.espalier.core;
  requires dev.espalier.io;
  requires dev.espalier.join;
  requires info.picocli;
  requires it.unimi.dsi.fastutil;
  requires java.management;
  requires org.apache.commons.csv;
  requires static jdk.incubator.vector;
  requires static org.jspecify;
  requires tpch;

  // Options and the like are set by reflection.
  opens dev.espalier.cli to
      info.picocli;
}
