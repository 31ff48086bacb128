// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PageTimes;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is measured on simulated devices, whose clock goes on only by what they do. */
@Tag("fallback-thorough")
final class MeasuredDeviceTest {
  private static final String CACHE = "espalier.cache";
  private static final long SECOND = 1_000_000_000L;
  private static final PioWork WORK = new PioWork(10_000_000, 0.5, 16 << 20);

  @TempDir private Path folder;
  private Path data;
  private Path cache;
  private final String configured = System.getProperty(CACHE, "");

  @BeforeEach
  void keepFiguresHere() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
    cache = folder.resolve("cache");
    System.setProperty(CACHE, cache.toString());
  }

  @AfterEach
  void keepFiguresWhereTheyWere() {
    System.setProperty(CACHE, configured);
  }

  private static TimedPageFile.Device ssd() {
    return new TimedPageFile.Device(100_000, 30_000, 32, 1000);
  }

  private MeasuredDevice of(TimedPageFile.Device device) {
    return MeasuredDevice.of(data, device.opener(), device.nanos());
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void everyTimeIsTheDevices() {
    TimedPageFile.Device device = ssd();
    DeviceProfile profile = of(device).profile();
    assertEquals(DeviceMeasurement.PAGE_SIZES.size(), profile.pages().size());
    for (int i = 0; i < profile.pages().size(); i++) {
      PageTimes times = profile.pages().get(i);
      int pageBytes = DeviceMeasurement.PAGE_SIZES.get(i);
      assertEquals(pageBytes, times.pageBytes());
      for (int group = 0; group < PageTimes.GROUPS; group++) {
        assertEquals(device.nanos(false, 1 << group, pageBytes), times.reads().get(group));
        assertEquals(device.nanos(true, 1 << group, pageBytes), times.writes().get(group));
      }
    }
    assertEquals(32, profile.times(4096).pioMax());
  }

  @Test
  void nothingIsLeftInTheFolder() throws IOException {
    of(ssd());
    assertEquals(List.of(), filesIn(data));
  }

  /** From a fast disk, of which there are many rounds, to one that does a page in 20 ms. */
  @Test
  void takesLessThanTenSeconds() {
    for (long latency : new long[] {1000, 100_000, 5_000_000, 20_000_000}) {
      TimedPageFile.Device device = new TimedPageFile.Device(latency, latency, 1, latency / 1000);
      of(device);
      long nanos = device.nanos().getAsLong();
      assertTrue(nanos < 10 * SECOND, () -> latency + " ns a page: " + nanos + " ns");
      System.setProperty(CACHE, cache.resolve("" + latency).toString());
    }
  }

  @Test
  void whatCanNotBeMeasuredInTimeIsInProportion() {
    PageTimes times =
        of(new TimedPageFile.Device(20_000_000, 20_000_000, 1, 0)).profile().pages().getLast();
    List<Double> writes = times.writes();
    assertEquals(20_000_000, writes.getFirst());
    assertEquals(2 * writes.get(5), writes.get(6));
  }

  @Test
  void secondTimeItIsReadBack() throws IOException {
    TimedPageFile.Device device = ssd();
    MeasuredDevice first = of(device);
    assertTrue(first.origin().startsWith("measured now, and kept in " + cache), first::origin);
    long measured = device.nanos().getAsLong();
    MeasuredDevice second = of(device);
    assertEquals(first.profile(), second.profile());
    assertEquals("measured before, and kept", second.origin());
    assertEquals(measured, device.nanos().getAsLong(), "it took time");
    assertEquals(1, filesIn(cache).size());
  }

  @Test
  void damagedFileIsMeasuredAgain() throws IOException {
    TimedPageFile.Device device = ssd();
    DeviceProfile profile = of(device).profile();
    Path file = filesIn(cache).getFirst();
    for (String damage : List.of("", "\u0000\u0001", "device=", "reads.4096.nanos=fast")) {
      Files.writeString(file, damage);
      MeasuredDevice again = of(device);
      assertEquals(profile, again.profile());
      assertTrue(again.origin().startsWith("measured now"), again::origin);
    }
  }

  /** The engine is part of what the times are kept for. */
  @Test
  void anotherEngineIsMeasuredOnItsOwn() throws IOException {
    of(ssd());
    TimedPageFile.Device other = new TimedPageFile.Device(1_000_000, 1_000_000, 1, 0);
    PageFileOpener byThreads =
        (path, access, blockBytes) ->
            new PageFileAround(other.opener().open(path, access, blockBytes)) {
              @Override
              public IoStatus status() {
                return new IoStatus(IoStatus.Engine.THREADS, true, "", "");
              }
            };
    MeasuredDevice measured = MeasuredDevice.of(data, byThreads, other.nanos());
    assertEquals(1_000_000, measured.profile().times(4096).reads().getFirst());
    assertTrue(measured.profile().device().contains("threads, direct"));
    assertEquals(2, filesIn(cache).size());
  }

  @Test
  void deviceIsMeasuredAgainWhenAskedTo() {
    of(ssd());
    TimedPageFile.Device slower = new TimedPageFile.Device(500_000, 500_000, 1, 0);
    DeviceProfile again = MeasuredDevice.measure(data, slower.opener(), slower.nanos()).profile();
    assertEquals(500_000, again.times(4096).reads().getFirst());
    assertEquals(again, of(slower).profile());
  }

  @Test
  void cacheThatCannotBeWrittenIsNoError() throws IOException {
    Files.createFile(cache);
    MeasuredDevice measured = of(ssd());
    assertTrue(measured.origin().startsWith("measured now, but can't be kept: "));
  }

  @Test
  void folderThatIsNotThereIsRefused() {
    Path nowhere = data.resolve("nowhere");
    TimedPageFile.Device device = ssd();
    assertThrows(
        PageFileException.class, () -> MeasuredDevice.of(nowhere, device.opener(), device.nanos()));
  }

  /** Moves real bytes, by whichever engine runs here. */
  @Test
  @Tag("thorough")
  void thisMachineCanBeMeasured() throws IOException {
    MeasuredDevice measured = MeasuredDevice.of(data);
    assertEquals(DeviceMeasurement.PAGE_SIZES.size(), measured.profile().pages().size());
    assertEquals(List.of(), filesIn(data));
    assertEquals(measured.profile(), MeasuredDevice.of(data).profile());
  }

  @Test
  void indexInAFileIsMadeAsChosenAndSaysWhy() {
    DeviceProfile profile = of(ssd()).profile();
    PioChoice choice = PioChoice.of(profile, WORK);
    Path path = data.resolve("index");
    FileOptions options = PioTuning.options(path, FileOptions.DEFAULT, WORK, profile);
    assertEquals(WORK.memoryBytes(), options.poolBytes());
    assertEquals(choice.pageBytes(), options.pageBytes());
    try (LongIndex index = Espalier.open(path, options)) {
      assertEquals(choice.reason(), index.statistics().choice());
      for (int i = 0; i < 1000; i++) {
        index.set(i, i);
      }
    }
    assertEquals(choice.pageBytes(), Espalier.describe(path, FileOptions.DEFAULT).pageBytes());
  }

  /** Another mix may want other pages and leaves, but those are there. */
  @Test
  void indexThatIsThereIsOpenedForOtherWorkToo() {
    DeviceProfile profile = of(ssd()).profile();
    Path path = data.resolve("index");
    FileOptions small = FileOptions.DEFAULT.withPageBytes(1024);
    try (LongIndex index = Espalier.open(path, PioTuning.options(path, small, WORK, profile))) {
      assertTrue(index.statistics().choice().startsWith("pages of 1024 bytes"));
      index.put(1, 2);
    }
    PioWork searches = new PioWork(1000, 0, 1 << 20);
    FileOptions options = PioTuning.options(path, FileOptions.DEFAULT, searches, profile);
    assertEquals(0, options.pageBytes());
    try (LongIndex index = Espalier.open(path, options)) {
      assertEquals(2, index.get(1));
      assertTrue(index.statistics().choice().contains("0% updates"));
    }
  }
}
