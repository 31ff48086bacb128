// SPDX-License-Identifier: Apache-2.0
/**
 * Write-optimized trees whose nodes are pages of a {@link dev.espalier.memory.PageStore} with
 * buffers: the B^&epsilon;-tree and its special case of constant degree, the buffered repository
 * tree.
 */
@NullMarked
package dev.espalier.bepsilon;

import org.jspecify.annotations.NullMarked;
