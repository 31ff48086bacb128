// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A native library, loaded or not, and the method handles of its functions.
 *
 * <p>That it could not be loaded is a value, {@link #status()}, and never an exception: its handles
 * then do nothing.
 */
@SuppressWarnings("restricted")
public final class NativeLibrary {

  /** {@code ESPALIER_ABI_VERSION} of the {@code espalier.h} that the bindings were written for. */
  static final int ABI_VERSION = 2;

  private static final NativeLibrary ESPALIER =
      load(NativeEnvironment.current(), NativeLibrary::resource, ABI_VERSION);

  private final NativeStatus status;
  private final @Nullable SymbolLookup symbols;

  private NativeLibrary(NativeStatus status, @Nullable SymbolLookup symbols) {
    this.status = status;
    this.symbols = symbols;
  }

  /** {@return Espalier's own library, the same one for the life of the JVM} */
  public static NativeLibrary espalier() {
    return ESPALIER;
  }

  /** {@return whether the library is loaded, and if not, why} */
  public NativeStatus status() {
    return status;
  }

  /**
   * Binds a function of this library.
   *
   * @param function its name
   * @param descriptor its parameters and result
   * @param options as for {@link Linker#downcallHandle}
   * @return its handle; if the library is not loaded, one of the same type that does nothing and
   *     returns zero
   * @throws NoSuchElementException if the library has no such function
   */
  public MethodHandle downcall(
      String function, FunctionDescriptor descriptor, Linker.Option... options) {
    return symbols == null
        ? MethodHandles.empty(descriptor.toMethodType())
        : downcall(symbols, function, descriptor, options);
  }

  /** Binds a function of the C library. The caller has asked {@link NativeEnvironment} before. */
  static MethodHandle systemCall(
      String function, FunctionDescriptor descriptor, Linker.Option... options) {
    return downcall(Linker.nativeLinker().defaultLookup(), function, descriptor, options);
  }

  /**
   * Binds a function that not every C library has; where it is missing, the handle does nothing and
   * returns zero.
   */
  static MethodHandle systemCallIfThere(
      String function, FunctionDescriptor descriptor, Linker.Option... options) {
    SymbolLookup symbols = Linker.nativeLinker().defaultLookup();
    if (symbols.find(function).isPresent()) {
      return downcall(symbols, function, descriptor, options);
    }
    MethodType type = descriptor.toMethodType();
    return MethodHandles.empty(
        options.length == 0 ? type : type.insertParameterTypes(0, MemorySegment.class));
  }

  /**
   * For the {@code catch} after {@code invokeExact}, which declares more than a downcall throws.
   *
   * @param thrown what was caught
   * @return the exception to throw, if it was one that may be
   * @throws Error if that is what was caught
   */
  public static RuntimeException unchecked(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> throw new AssertionError("a downcall threw a checked exception", thrown);
    };
  }

  static NativeLibrary load(
      NativeEnvironment environment,
      Function<String, @Nullable InputStream> resources,
      int expectedAbi) {
    Optional<NativeStatus> refusal = environment.refusal();
    if (refusal.isPresent()) {
      return new NativeLibrary(refusal.get(), null);
    }
    String resource = environment.platform().libraryResource();
    try (InputStream content = resources.apply(resource)) {
      if (content == null) {
        return unavailable(
            State.LIBRARY_MISSING,
            "neither class path nor module path has " + resource,
            environment.platform().isLinux()
                ? "add the jar espalier-ffi-prefetch with the classifier " + environment.platform()
                : "build Espalier where a C compiler is installed");
      }
      SymbolLookup symbols = unpackAndOpen(content, environment.temporaryFolder());
      int abi = abiVersion(symbols);
      return abi == expectedAbi
          ? new NativeLibrary(new NativeStatus(State.AVAILABLE, resource, ""), symbols)
          : unavailable(
              State.ABI_MISMATCH,
              "the library has ABI version %d, its bindings want %d".formatted(abi, expectedAbi),
              "use Espalier's modules in one version");
    } catch (IOException | IllegalArgumentException | NoSuchElementException e) {
      return unavailable(
          State.LOAD_FAILED,
          "the library could not be loaded: " + e,
          "let java.io.tmpdir name a folder that can be written and is not mounted noexec");
    } catch (IllegalCallerException e) {
      // Native access can be denied in other ways than the one that was asked about.
      return unavailable(State.ACCESS_DENIED, "the JVM denied native access: " + e, "");
    }
  }

  /**
   * The content of a resource of any jar of the class path, or of any module of the program: on the
   * module path the library is in a module of its own.
   */
  private static @Nullable InputStream resource(String name) {
    return NativeLibrary.class.getClassLoader().getResourceAsStream(name);
  }

  private static NativeLibrary unavailable(State state, String detail, String remedy) {
    return new NativeLibrary(new NativeStatus(state, detail, remedy), null);
  }

  /** The file is gone when this returns: a loaded library lives on without its name. */
  private static SymbolLookup unpackAndOpen(InputStream content, Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "espalier", ".lib");
    try {
      try (OutputStream out = Files.newOutputStream(file)) {
        content.transferTo(out);
      }
      return SymbolLookup.libraryLookup(file, Arena.global());
    } finally {
      Files.delete(file);
    }
  }

  private static int abiVersion(SymbolLookup symbols) {
    MethodHandle abiVersion =
        downcall(symbols, "espalier_abi_version", FunctionDescriptor.of(JAVA_INT));
    try {
      return (int) abiVersion.invokeExact();
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static MethodHandle downcall(
      SymbolLookup symbols,
      String function,
      FunctionDescriptor descriptor,
      Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(function), descriptor, options);
  }
}
