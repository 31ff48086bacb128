// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is kept of a device. */
final class DeviceProfileTest {
  private static final List<Double> READS = List.of(1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0);
  private static final List<Double> WRITES = List.of(2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.25);

  @TempDir private Path folder;
  private final String configured = System.getProperty(CacheFile.FOLDER_PROPERTY, "");

  @BeforeEach
  void keepFiguresHere() {
    System.setProperty(CacheFile.FOLDER_PROPERTY, folder.toString());
  }

  @AfterEach
  void keepFiguresWhereTheyWere() {
    System.setProperty(CacheFile.FOLDER_PROPERTY, configured);
  }

  private static DeviceProfile profile(String device) {
    return new DeviceProfile(
        device, List.of(new PageTimes(4096, READS, WRITES), new PageTimes(8192, WRITES, READS)));
  }

  @Test
  void whatIsSavedIsReadBackForItsDeviceOnly() throws IOException {
    DeviceProfile first = profile("/dev/first: a=b\\ü");
    Path file = first.save();
    assertEquals(folder, file.getParent());
    assertEquals(Optional.of(first), DeviceProfile.saved(first.device()));
    assertEquals(Optional.empty(), DeviceProfile.saved("/dev/second"));
    assertNotEquals(file, profile("/dev/second").save());
  }

  @Test
  void fileOfAnotherDeviceHoldsNothing() throws IOException {
    Path other = profile("second").save();
    Path file = profile("first").save();
    Files.copy(other, file, StandardCopyOption.REPLACE_EXISTING);
    assertEquals(Optional.empty(), DeviceProfile.saved("first"));
  }

  @ParameterizedTest
  @CsvSource({
    "machine=, machine=another ",
    "2.5, fast",
    "8.25, -1.0",
    "8.25, NaN",
    "1.5 2.0, 2.0",
    "page.sizes=4096 8192, page.sizes=8192 4096",
    "page.sizes=4096 8192, page.sizes=",
    "page.sizes=4096 8192, page.sizes=4096 99",
    "page.sizes, sizes",
    "1.5, \\u00zz"
  })
  void damagedFileHoldsNothing(String sound, String damaged) throws IOException {
    Path file = profile("first").save();
    String text = Files.readString(file);
    Files.writeString(file, text.replace(sound, damaged == null ? "" : damaged));
    assertNotEquals(text, Files.readString(file));
    assertEquals(Optional.empty(), DeviceProfile.saved("first"));
  }

  @Test
  void fileThatLacksALineHoldsNothing() throws IOException {
    Path file = profile("first").save();
    List<String> lines =
        Files.readAllLines(file).stream().filter(line -> !line.startsWith("#")).toList();
    assertEquals(7, lines.size());
    for (String line : lines) {
      List<String> others = new ArrayList<>(lines);
      others.remove(line);
      Files.write(file, others);
      assertEquals(Optional.empty(), DeviceProfile.saved("first"), line);
    }
    Files.write(file, lines);
    assertEquals(Optional.of(profile("first")), DeviceProfile.saved("first"));
  }

  @Test
  void folderThatCannotBeWrittenIsAnErrorOfSavingOnly() throws IOException {
    Path notAFolder = Files.createFile(folder.resolve("file"));
    System.setProperty(CacheFile.FOLDER_PROPERTY, notAFolder.toString());
    assertThrows(IOException.class, () -> profile("first").save());
    assertEquals(Optional.empty(), DeviceProfile.saved("first"));
  }
}
