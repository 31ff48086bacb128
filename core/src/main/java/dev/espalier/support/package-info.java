// SPDX-License-Identifier: Apache-2.0
/** What trees of several packages share and users do not see; the module does not export it. */
@NullMarked
package dev.espalier.support;

import org.jspecify.annotations.NullMarked;
