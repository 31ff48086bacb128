// SPDX-License-Identifier: Apache-2.0

/** Looking up many keys: buffered, sorted or in groups, and the choice between them. */
@NullMarked
package dev.espalier.batch;

import org.jspecify.annotations.NullMarked;
