// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.calcite;

import org.jspecify.annotations.NullMarked;
