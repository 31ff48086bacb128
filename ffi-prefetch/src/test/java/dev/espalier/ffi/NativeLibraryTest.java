// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NativeLibraryTest {

  @TempDir Path folder;

  @Test
  void libraryInTheJarIsLoaded() {
    assumeLibraryWasBuilt();
    assertEquals(State.AVAILABLE, NativeLibrary.espalier().status().state());
    assertEquals("", NativeLibrary.espalier().status().remedy());
  }

  @Test
  void loadedLibraryLeavesNoFile() throws IOException {
    assumeLibraryWasBuilt();
    assertEquals(State.AVAILABLE, load(environment(), NativeLibraryTest::jar).status().state());
    assertFolderIsEmpty();
  }

  @Test
  void jarWithoutTheLibraryIsLibraryMissing() {
    NativeStatus status = load(environment(), _ -> null).status();
    assertEquals(State.LIBRARY_MISSING, status.state());
    assertTrue(status.detail().contains(Platform.current().libraryResource()), status.detail());
    assumeTrue(Platform.current().isLinux());
    assertEquals(
        "add the jar espalier-ffi-prefetch with the classifier " + Platform.current(),
        status.remedy());
  }

  @Test
  void corruptLibraryIsLoadFailed() throws IOException {
    byte[] content = otherLibrary();
    Arrays.fill(content, 16, 24, (byte) 0xff); // file type, processor, version of an ELF file
    NativeStatus status = load(environment(), bytes(content)).status();
    assertEquals(State.LOAD_FAILED, status.state());
    assertFolderIsEmpty();
  }

  @Test
  void libraryWithoutOurFunctionsIsLoadFailed() throws IOException {
    NativeStatus status = load(environment(), bytes(otherLibrary())).status();
    assertEquals(State.LOAD_FAILED, status.state());
    assertTrue(status.detail().contains("espalier_abi_version"), status.detail());
  }

  @Test
  void libraryOfAnotherAbiIsAbiMismatch() {
    assumeLibraryWasBuilt();
    int other = NativeLibrary.ABI_VERSION + 1;
    NativeStatus status = NativeLibrary.load(environment(), NativeLibraryTest::jar, other).status();
    assertEquals(State.ABI_MISMATCH, status.state());
    assertEquals("the library has ABI version 2, its bindings want 3", status.detail());
  }

  @Test
  void temporaryFolderThatCannotBeWrittenIsLoadFailed() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    NativeEnvironment noFolder = new NativeEnvironment(Platform.current(), false, true, file);
    NativeStatus status = load(noFolder, bytes(new byte[0])).status();
    assertEquals(State.LOAD_FAILED, status.state());
    assertTrue(status.remedy().contains("java.io.tmpdir"), status.remedy());
  }

  @Test
  void resourceThatCannotBeReadIsLoadFailed() throws IOException {
    InputStream broken = InputStream.nullInputStream();
    broken.close();
    NativeStatus status = load(environment(), _ -> broken).status();
    assertEquals(State.LOAD_FAILED, status.state());
    assertTrue(status.detail().contains("Stream closed"), status.detail());
    assertFolderIsEmpty();
  }

  @Test
  void otherPlatformIsUnsupported() {
    NativeEnvironment windows =
        new NativeEnvironment(Platform.of("Windows 11", "amd64"), false, true, folder);
    NativeStatus status = load(windows, NativeLibraryTest::jar).status();
    assertEquals(
        new NativeStatus(State.UNSUPPORTED_PLATFORM, "no native code for windows 11-x86_64", ""),
        status);
  }

  @Test
  void switchWinsOverEverythingElse() {
    NativeEnvironment off =
        new NativeEnvironment(Platform.of("Windows 11", "amd64"), true, false, folder);
    assertEquals(State.SWITCHED_OFF, load(off, NativeLibraryTest::jar).status().state());
  }

  @Test
  void withoutNativeAccessNothingIsTouched() {
    NativeEnvironment denied = new NativeEnvironment(Platform.current(), false, false, folder);
    NativeStatus status =
        load(
                denied,
                _ -> {
                  throw new AssertionError("the library was looked for");
                })
            .status();
    assertEquals(State.ACCESS_DENIED, status.state());
    assertEquals("add the JVM option --enable-native-access=ALL-UNNAMED", status.remedy());
  }

  @Test
  void functionOfAnAbsentLibraryReturnsZero() throws Throwable {
    MethodHandle absent =
        load(environment(), _ -> null)
            .downcall("espalier_abi_version", FunctionDescriptor.of(JAVA_INT));
    assertEquals(0, (int) absent.invokeExact());
  }

  @Test
  void functionOfTheLoadedLibraryIsCalled() throws Throwable {
    assumeLibraryWasBuilt();
    MethodHandle abiVersion =
        NativeLibrary.espalier().downcall("espalier_abi_version", FunctionDescriptor.of(JAVA_INT));
    assertEquals(NativeLibrary.ABI_VERSION, (int) abiVersion.invokeExact());
  }

  @Test
  void functionThatTheLibraryLacksIsRefused() {
    assumeLibraryWasBuilt();
    assertThrows(
        NoSuchElementException.class,
        () -> NativeLibrary.espalier().downcall("espalier_none", FunctionDescriptor.ofVoid()));
  }

  @Test
  void uncheckedKeepsWhatMayBeThrown() {
    RuntimeException runtime = new IllegalStateException();
    assertSame(runtime, NativeLibrary.unchecked(runtime));
    Error error = new Error();
    assertSame(error, assertThrows(Error.class, () -> NativeLibrary.unchecked(error)));
    Exception checked = new Exception();
    assertSame(
        checked,
        assertThrows(AssertionError.class, () -> NativeLibrary.unchecked(checked)).getCause());
  }

  private static @Nullable InputStream jar(String resource) {
    return NativeLibrary.class.getClassLoader().getResourceAsStream(resource);
  }

  /** A sound library of the JDK. */
  private static byte[] otherLibrary() throws IOException {
    return Files.readAllBytes(
        Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("syslookup")));
  }

  private NativeEnvironment environment() {
    return new NativeEnvironment(Platform.current(), false, true, folder);
  }

  private static NativeLibrary load(
      NativeEnvironment environment, Function<String, @Nullable InputStream> resources) {
    return NativeLibrary.load(environment, resources, NativeLibrary.ABI_VERSION);
  }

  private static Function<String, @Nullable InputStream> bytes(byte[] content) {
    return _ -> new ByteArrayInputStream(content);
  }

  private void assertFolderIsEmpty() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  /** The build goes on without a C compiler, and so do its tests. */
  private static void assumeLibraryWasBuilt() {
    try (InputStream library = jar(Platform.current().libraryResource())) {
      assumeTrue(library != null, "built without a C compiler");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
