// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

/** What a force makes safe. */
public enum ForceKind {
  /** Pages of a store, before the header that leads to them. */
  PAGES,
  /** The header of a store, and nothing else. */
  HEADER,
  /** A segment of the log. */
  LOG,
  /** The names of files. */
  NAMES
}
