// SPDX-License-Identifier: Apache-2.0

/** Lookups, joins and bulkloads over columns in Arrow's memory layout. */
module dev.espalier.arrow {
  requires transitive dev.espalier.join;
  requires static transitive org.jspecify;

  exports dev.espalier.arrow;
}
