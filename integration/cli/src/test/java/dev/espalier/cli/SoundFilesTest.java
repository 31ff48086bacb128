// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the last step has written is told from what was there before. */
final class SoundFilesTest {
  private static final int PAGE = 1024;

  /** In the log, the last step has written from 1000 to 2000, but for zeros in the middle. */
  private static final byte[] LOG = written(4096, 1000, 1400, 1600, 2000);

  /** Of the pages, it has written the second and the fourth. */
  private static final byte[] PAGES = written(5 * PAGE, PAGE, PAGE + 1, 3 * PAGE, 3 * PAGE + 1);

  private static final SoundFiles SOUND =
      new SoundFiles(
          Map.of("a.log1", LOG, "a", PAGES),
          Map.of("a.log1", new byte[4096], "a", new byte[5 * PAGE]),
          PAGE);

  private static byte[] written(int bytes, int from, int to, int again, int end) {
    byte[] all = new byte[bytes];
    Arrays.fill(all, from, to, (byte) 1);
    Arrays.fill(all, again, end, (byte) 1);
    return all;
  }

  private static boolean isOld(String name, byte[] sound, int at) {
    byte[] damaged = sound.clone();
    damaged[at] ^= 2;
    return SOUND.isOlderThanLastStep(name, damaged);
  }

  @Test
  void allThatIsBetweenTwoChangesOfTheLogIsNew() {
    assertTrue(isOld("a.log1", LOG, 900));
    assertFalse(isOld("a.log1", LOG, 1000));
    assertFalse(isOld("a.log1", LOG, 1500));
    assertFalse(isOld("a.log1", LOG, 2040)); // A number may end with zeros.
    assertTrue(isOld("a.log1", LOG, 3000));
  }

  @Test
  void pagesAreNewEachForItself() {
    assertTrue(isOld("a", PAGES, 0));
    assertFalse(isOld("a", PAGES, PAGE + 500));
    assertTrue(isOld("a", PAGES, 2 * PAGE));
    assertFalse(isOld("a", PAGES, 3 * PAGE));
  }

  @Test
  void whatIsCutOffCounts() {
    assertFalse(SOUND.isOlderThanLastStep("a.log1", Arrays.copyOf(LOG, 1500)));
    assertTrue(SOUND.isOlderThanLastStep("a.log1", Arrays.copyOf(LOG, 3000)));
    assertFalse(SOUND.isOlderThanLastStep("a", Arrays.copyOf(PAGES, 3 * PAGE)));
    assertTrue(SOUND.isOlderThanLastStep("a", Arrays.copyOf(PAGES, 4 * PAGE)));
  }

  @Test
  void aFileThatTheLastStepHasMadeOrLengthenedIsNew() {
    assertFalse(SOUND.isOlderThanLastStep("a.log1", Arrays.copyOf(LOG, 5000)));
    SoundFiles made = new SoundFiles(Map.of("a.log1", LOG), Map.of(), PAGE);
    assertFalse(made.isOlderThanLastStep("a.log1", Arrays.copyOf(LOG, 3000)));
  }
}
