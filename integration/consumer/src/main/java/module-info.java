// SPDX-License-Identifier: Apache-2.0

/** A program of someone else. */
module example {
  requires dev.espalier.join;
}
