// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

/**
 * How many leaf pages a scan asks for ahead, and when. It begins with two, so that a short range
 * does not ask for many in vain, and then asks for twice as many each time; once it is far ahead it
 * asks for several at once, because handing over a wave costs a system call whatever its size.
 */
public final class AskedAhead {
  /** Most pages asked for and not yet reached: as many reads as an SSD answers at once. */
  public static final int DISTANCE = 32;

  /** Pages asked for at once when far ahead: a quarter, so that the device never runs dry. */
  public static final int WAVE = 8;

  private static final int FIRST_WAVE = 2;

  /** The pages of a wave. */
  public final int[] pages = new int[WAVE];

  private int wave = FIRST_WAVE;

  /** Pages asked for and not yet reached. */
  private int ahead;

  /** Creates it with nothing asked for. */
  public AskedAhead() {}

  /** Begins anew, with nothing asked for. */
  public void restart() {
    wave = FIRST_WAVE;
    ahead = 0;
  }

  /** Tells that a scan goes to the next page, and returns how many pages it should ask for. */
  public int wanted() {
    ahead = Math.max(ahead - 1, 0);
    return ahead + wave <= DISTANCE ? wave : 0;
  }

  /** Tells how many pages of a wave there were. */
  public void asked(int count) {
    ahead += count;
    wave = Math.min(2 * wave, WAVE);
  }
}
