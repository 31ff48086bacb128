// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Which errors of the system the engine without native access tells from one another. */
@Tag("fallback-too")
class ChannelFailuresTest {
  @TempDir Path folder;

  private static int errnoOf(String message) {
    return ChannelPageFile.errnoOf(new IOException(message), () -> fail("the message tells"));
  }

  @Test
  void messagesOfLinuxAreKnown() {
    assertEquals(Errno.ENOSPC, errnoOf("No space left on device"));
    assertEquals(Errno.EDQUOT, errnoOf("Disk quota exceeded"));
    assertEquals(Errno.EFBIG, errnoOf("File too large"));
    assertEquals(Errno.EIO, errnoOf("Input/output error"));
  }

  @Test
  void messageInAnotherLanguageIsThatOfAFullDeviceIfItIsFull() {
    IOException german = new IOException("Auf dem Gerät ist kein Speicherplatz mehr verfügbar");
    assertEquals(Errno.ENOSPC, ChannelPageFile.errnoOf(german, () -> true));
    assertEquals(Errno.EIO, ChannelPageFile.errnoOf(german, () -> false));
    assertEquals(Errno.ENOSPC, ChannelPageFile.errnoOf(new IOException(), () -> true));
  }

  @Test
  void whatTheSystemWasNotAskedIsNoFullDevice() {
    assertEquals(
        Errno.EBADF, ChannelPageFile.errnoOf(new NonWritableChannelException(), () -> true));
    assertEquals(Errno.EIO, ChannelPageFile.errnoOf(new IllegalStateException(), () -> true));
  }

  /** Another process, which may not make large files. */
  static final class Limited {
    private Limited() {}

    /** Makes the file that is named larger than that, and says how the system refuses. */
    public static void main(String[] arguments) {
      Path path = Path.of(arguments[0]);
      try (PageFile file = Engines.openChannel(path, Access.CREATE)) {
        file.grow(8 << 20);
        System.out.println("grown");
      } catch (PageFileException refused) {
        System.out.println("errno " + refused.errno());
      }
    }
  }

  @Test
  @Timeout(60)
  @EnabledOnOs(OS.LINUX)
  void fileThatIsTooLargeForTheProcessIsToldAsSuch() throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            "sh",
            "-c",
            "ulimit -f 2048 && exec \"$0\" \"$@\"",
            java,
            "-XX:-UsePerfData",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            Limited.class.getName(),
            folder.resolve("file").toString());
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    String line = process.inputReader().readLine();
    assumeTrue(process.waitFor() == 0, "no such limit can be set here");
    assertEquals("errno " + Errno.EFBIG, line);
  }
}
