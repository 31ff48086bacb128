// SPDX-License-Identifier: Apache-2.0
/** BFTL: a B-tree whose nodes are logs of changes, scattered over shared sectors of flash. */
@NullMarked
package dev.espalier.bftl;

import org.jspecify.annotations.NullMarked;
