// SPDX-License-Identifier: Apache-2.0
/** What every tree is built on and users do not see; the module does not export it. */
@NullMarked
package dev.espalier.tree;

import org.jspecify.annotations.NullMarked;
