// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

/** What leaves a buffer that is full. */
enum FlushPolicy {
  /** The messages of the child that has most of them: the B^&epsilon;-tree's. */
  FULLEST_CHILD,

  /** All messages: the buffered repository tree's. */
  WHOLE_BUFFER
}
