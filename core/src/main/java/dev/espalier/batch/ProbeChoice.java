// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * The method chosen for a batch, and why.
 *
 * @param method the method chosen, never {@link ProbeMethod#AUTO}
 * @param reason the reason in words, with the expected time per key where times were compared
 */
public record ProbeChoice(ProbeMethod method, String reason) {}
