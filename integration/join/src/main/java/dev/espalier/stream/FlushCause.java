// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

/** Why everything inside a stream is answered. */
enum FlushCause {
  /** The oldest probe would otherwise wait longer than the response time. */
  TIMER,
  /** A thread or a publisher waits for room. */
  FULL,
  /** Somebody has called {@code flush} or {@code close}, or a publisher has ended. */
  ASKED,
  /** Updates, and probes for the nearest key or for ranges, must not wait together. */
  BETWEEN_KINDS
}
