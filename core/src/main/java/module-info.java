// SPDX-License-Identifier: Apache-2.0

/**
 * Ordered off-heap indexes with long keys and long values. Start at {@link
 * dev.espalier.family.Indexes}, which creates one, and {@link dev.espalier.LongIndex}, which says
 * what it can do. For keys and values of any length there is {@link dev.espalier.bytes.BytesIndex}.
 *
 * <p>Searches inside nodes use the Vector API if the program adds its module ({@code --add-modules
 * jdk.incubator.vector}). Without it, scalar code gives the same results.
 */
module dev.espalier.core {
  requires transitive dev.espalier.ffi;
  requires static jdk.incubator.vector;
  requires jdk.management;
  requires static transitive org.jspecify;

  exports dev.espalier;
  exports dev.espalier.batch;
  exports dev.espalier.bepsilon;
  exports dev.espalier.blink;
  exports dev.espalier.bftl;
  exports dev.espalier.bplus;
  exports dev.espalier.bytes;
  exports dev.espalier.cachefirst;
  exports dev.espalier.cola;
  exports dev.espalier.concurrent;
  exports dev.espalier.csbplus;
  exports dev.espalier.css;
  exports dev.espalier.family;
  exports dev.espalier.fdtree;
  exports dev.espalier.inspect;
  exports dev.espalier.memory;
  exports dev.espalier.model;
  exports dev.espalier.node;
  exports dev.espalier.paged;
  exports dev.espalier.pio;
  exports dev.espalier.prefix;
  exports dev.espalier.pma;
  exports dev.espalier.rtree;
  exports dev.espalier.shuttle;
  exports dev.espalier.sort;
  exports dev.espalier.ttree;
  exports dev.espalier.tuple;
}
