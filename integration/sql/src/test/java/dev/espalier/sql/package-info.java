// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.sql;

import org.jspecify.annotations.NullMarked;
