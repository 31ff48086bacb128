// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How much memory shared pools may take: what is asked for, and what the process has. */
final class PoolMemoryTest {
  private static final long GIB = 1L << 30;

  @TempDir Path root;

  @ParameterizedTest
  @CsvSource({
    "104857600, 104857600",
    "102400K, 104857600",
    "100M, 104857600",
    "100m, 104857600",
    "2G, 2147483648",
    "50%, 4294967296",
    "12.5%, 1073741824",
    "100%, 8589934592",
    "' 1G ', 1073741824",
    "20M, 20971520",
    "1, 16777216",
    "0.1%, 16777216",
    "256G, 274877906944"
  })
  void thePropertySaysHowManyBytes(String value, long bytes) {
    assertEquals(new PoolMemory(bytes, true), PoolMemory.of(value, 8 * GIB));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "-1",
        "1T",
        "64 M",
        "0%",
        "101%",
        "-5%",
        "%",
        "M",
        "0x40",
        "257G",
        "1e9",
        "NaN%",
        "99999999999999999999"
      })
  void aValueThatMakesNoSenseIsNamed(String value) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> PoolMemory.of(value, GIB)).getMessage();
    assertTrue(message.contains("espalier.pool is '" + value + "'"), message);
  }

  @Test
  void aQuarterOfTheMemoryIsTheDefaultAnd16MebibytesTheLeast() {
    assertEquals(new PoolMemory(2 * GIB, false), PoolMemory.of(null, 8 * GIB));
    assertEquals(new PoolMemory(16 << 20, false), PoolMemory.of(null, 50 << 20));
    assertEquals(new PoolMemory(BufferPool.MOST_BYTES, false), PoolMemory.of(null, Long.MAX_VALUE));
  }

  // ---------------------------------------------------------------- the process

  private void write(String file, String contents) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, contents + "\n");
  }

  private void machineWith(long kibibytes) throws IOException {
    write("proc/meminfo", "MemTotal:       %d kB\nMemFree:  7 kB".formatted(kibibytes));
  }

  @Test
  void withoutGroupsTheMachinesMemoryCounts() throws IOException {
    machineWith(8 << 20);
    assertEquals(8 * GIB, ProcessMemory.of(root).bytes());
    write("proc/self/cgroup", "0::/");
    assertEquals(8 * GIB, ProcessMemory.of(root).bytes());
  }

  @Test
  void theLeastLimitOfAllGroupsAboveCounts() throws IOException {
    machineWith(8 << 20);
    write("proc/self/cgroup", "0::/outer/inner");
    write("sys/fs/cgroup/outer/inner/memory.max", "max");
    assertEquals(8 * GIB, ProcessMemory.of(root).bytes());
    write("sys/fs/cgroup/outer/memory.max", "3221225472");
    assertEquals(3 * GIB, ProcessMemory.of(root).bytes());
    write("sys/fs/cgroup/outer/inner/memory.max", "2147483648");
    assertEquals(2 * GIB, ProcessMemory.of(root).bytes());
    write("sys/fs/cgroup/memory.max", "1073741824");
    assertEquals(GIB, ProcessMemory.of(root).bytes());
  }

  @Test
  void limitAboveTheMachinesMemoryIsNone() throws IOException {
    machineWith(1 << 20);
    write("proc/self/cgroup", "0::/a");
    write("sys/fs/cgroup/a/memory.max", "3221225472");
    assertEquals(GIB, ProcessMemory.of(root).bytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/not/here", "/../../outside", "/"})
  void inContainerTheTopmostFolderIsTheGroups(String name) throws IOException {
    machineWith(8 << 20);
    write("proc/self/cgroup", "0::" + name);
    write("sys/fs/cgroup/memory.max", "536870912");
    assertEquals(GIB / 2, ProcessMemory.of(root).bytes());
  }

  @Test
  void groupsOfTheFirstVersionLimitToo() throws IOException {
    machineWith(8 << 20);
    write(
        "proc/self/cgroup",
        "12:cpu,cpuacct:/other\n5:memory:/docker/box\n1:name=systemd:/x\n0::/unified");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    assertEquals(8 * GIB, ProcessMemory.of(root).bytes());
    write("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "2147483648");
    assertEquals(2 * GIB, ProcessMemory.of(root).bytes());
    write("sys/fs/cgroup/memory/docker/box/memory.limit_in_bytes", "1073741824");
    assertEquals(GIB, ProcessMemory.of(root).bytes());
  }

  @Test
  void whatMakesNoSenseIsLeftOut() throws IOException {
    machineWith(8 << 20);
    write("proc/self/cgroup", "nonsense\n0::/a");
    write("sys/fs/cgroup/a/memory.max", "lots");
    assertEquals(8 * GIB, ProcessMemory.of(root).bytes());
  }

  @Test
  void whereTheSystemPromisesNoMoreThanItHasWhatItMayStillPromiseCounts() throws IOException {
    write(
        "proc/meminfo",
        "MemTotal:  8388608 kB\nCommitLimit:  4194304 kB\nCommitted_AS:  1048576 kB");
    write("proc/sys/vm/overcommit_memory", "0");
    assertEquals(8 * GIB, ProcessMemory.of(root).bytes());
    write("proc/sys/vm/overcommit_memory", "2");
    assertEquals(3 * GIB, ProcessMemory.of(root).bytes());
    write("proc/self/cgroup", "0::/a");
    write("sys/fs/cgroup/a/memory.max", "2147483648");
    assertEquals(2 * GIB, ProcessMemory.of(root).bytes());
    write("proc/meminfo", "MemTotal:  8388608 kB\nCommitLimit:  4 kB\nCommitted_AS:  5 kB");
    assertEquals(0, ProcessMemory.of(root).bytes());
  }

  @Test
  void withoutProcTheHeapIsTheMeasure() {
    assertTrue(ProcessMemory.of(root).bytes() >= Runtime.getRuntime().maxMemory());
  }

  // ---------------------------------------------------------------- short of memory

  @Test
  void aGroupIsShortThatWillHaveSevenEighthsBesidesWhatCanBeTakenBack() throws IOException {
    machineWith(8 << 20);
    write("proc/self/cgroup", "0::/a");
    write("sys/fs/cgroup/a/memory.max", "800000000");
    ProcessMemory memory = ProcessMemory.of(root);
    assertFalse(memory.isShort(0), "nothing is known of its use");
    write("sys/fs/cgroup/a/memory.current", "750000000");
    assertTrue(memory.isShort(0));
    String stat =
        "anon 500000000\nactive_file %d\ninactive_file 60000000\nslab_reclaimable 40000000";
    write("sys/fs/cgroup/a/memory.stat", stat.formatted(50_000_000));
    assertFalse(memory.isShort(100_000_000));
    assertTrue(memory.isShort(100_000_001));
  }

  /** Of the first version, what is below a group counts as well. */
  @Test
  void aGroupOfTheFirstVersionIsShortToo() throws IOException {
    machineWith(8 << 20);
    write("proc/self/cgroup", "5:memory:/box");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "0");
    write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "800000000");
    write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "750000000");
    write(
        "sys/fs/cgroup/memory/box/memory.stat",
        "active_file 400000000\ntotal_active_file 20000000\ntotal_inactive_file 30000000");
    ProcessMemory memory = ProcessMemory.of(root);
    assertFalse(memory.isShort(0));
    assertTrue(memory.isShort(1));
  }

  @Test
  void anInterruptedThreadSeesThatItIsShort() throws IOException {
    machineWith(8 << 20);
    write("proc/self/cgroup", "0::/a");
    write("sys/fs/cgroup/a/memory.max", "1000");
    write("sys/fs/cgroup/a/memory.current", "900");
    ProcessMemory memory = ProcessMemory.of(root);
    Thread.currentThread().interrupt();
    boolean isShort = memory.isShort(0);
    assertTrue(Thread.interrupted());
    assertTrue(isShort);
  }

  @Test
  void theMachineItselfIsNeverShort() throws IOException {
    machineWith(1 << 20);
    write("proc/self/cgroup", "0::/a");
    write("sys/fs/cgroup/a/memory.max", "3221225472");
    write("sys/fs/cgroup/a/memory.current", "3221225472");
    assertFalse(ProcessMemory.of(root).isShort(GIB));
  }
}
