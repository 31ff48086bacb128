// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.arrow;

import org.jspecify.annotations.NullMarked;
