// SPDX-License-Identifier: Apache-2.0
/**
 * The T-tree: thesis 3.3.
 *
 * <p>{@code TTree} has the searches, alone and in groups; {@code TTreeStructure} holds the nodes
 * and changes them, {@code TTreeBalance} rotates them. {@code TTreeNode} knows their bytes.
 */
@NullMarked
package dev.espalier.ttree;

import org.jspecify.annotations.NullMarked;
