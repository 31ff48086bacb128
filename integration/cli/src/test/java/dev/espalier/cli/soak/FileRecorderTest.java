// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.cli.MemoryFolder;
import dev.espalier.io.Access;
import dev.espalier.io.IoBatch;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recorder says is safe is what a device would have. */
final class FileRecorderTest {
  private static final int BLOCK = 512;
  private static final String NAME = "pages";

  /** Images of one moment: enough for each way in which they are made. */
  private static final int IMAGES = 50;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final MemorySegment memory = Arena.ofAuto().allocate(BLOCK, BLOCK);

  private IoBatch block(int value) {
    memory.fill((byte) value);
    IoBatch batch = new IoBatch(memory, 1);
    batch.add(0, 0, BLOCK);
    return batch;
  }

  /** Makes images of the end of a recording, and returns what the first byte of the file may be. */
  private boolean[] seen(FileRecorder recorder) throws IOException {
    Recording recording = recorder.recording();
    Playback playback = recording.play(_ -> false);
    playback.advanceTo(recording.end());
    SplittableRandom random = new SplittableRandom(1);
    boolean[] seen = new boolean[4];
    for (int i = 0; i < IMAGES; i++) {
      Path image = Files.createDirectory(folder.resolve("image" + i));
      playback.writeImage(random, image);
      byte[] bytes = Files.readAllBytes(image.resolve(NAME));
      byte[] same = new byte[bytes.length];
      Arrays.fill(same, bytes[0]);
      assertArrayEquals(same, bytes);
      seen[bytes[0]] = true;
    }
    return seen;
  }

  private PageFile make(FileRecorder recorder, Path path) {
    PageFile file = recorder.open(path, Access.CREATE, BLOCK);
    file.write(block(1));
    file.force();
    recorder.forceNames(path);
    return file;
  }

  @Test
  void aWriteThatWasNotForcedMayBeMissing() throws IOException {
    Path path = Files.createDirectory(folder.resolve("live")).resolve(NAME);
    FileRecorder recorder = new FileRecorder(path.getParent());
    try (PageFile file = make(recorder, path)) {
      file.write(block(2));
      assertArrayEquals(new boolean[] {false, true, true, false}, seen(recorder));
    }
  }

  @Test
  void aForceThatAWriteOutlastsDoesNotMakeItSafe() throws IOException {
    Path path = Files.createDirectory(folder.resolve("live")).resolve(NAME);
    FileRecorder recorder = new FileRecorder(path.getParent());
    try (PageFile file = make(recorder, path)) {
      IoBatch batch = block(2);
      file.startWrite(batch);
      file.force();
      file.finish(batch);
      assertArrayEquals(new boolean[] {false, true, true, false}, seen(recorder));
    }
  }

  @Test
  void aWriteThatAKilledProgramBeganDoesNotComeLaterThanThoseOfTheNext() throws IOException {
    Path path = Files.createDirectory(folder.resolve("live")).resolve(NAME);
    FileRecorder recorder = new FileRecorder(path.getParent());
    try (PageFile killed = make(recorder, path)) {
      IoBatch batch = block(2);
      killed.startWrite(batch);
      recorder.dieAfter(0);
      assertThrows(PageFileException.class, killed::force);
      recorder.revive();
      try (PageFile next = recorder.open(path, Access.WRITE, BLOCK)) {
        next.write(block(3));
        next.force();
      }
      killed.finish(batch);
      assertArrayEquals(new boolean[] {false, false, false, true}, seen(recorder));
    }
  }
}
