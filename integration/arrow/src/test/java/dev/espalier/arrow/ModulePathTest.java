// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ModulePathTest {
  @Test
  void theModuleNeedsEspalierOnly() throws Exception {
    Path[] path =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(entry -> isModule(entry) || entry.toString().contains("HdrHistogram"))
            .toArray(Path[]::new);
    ModuleFinder finder = ModuleFinder.of(path);
    Assumptions.assumeTrue(
        finder.find("dev.espalier.arrow").isPresent(), "compiled without module descriptors");
    Configuration resolved =
        ModuleLayer.boot()
            .configuration()
            .resolve(finder, ModuleFinder.of(), Set.of("dev.espalier.arrow"));
    assertEquals(
        Set.of(
            "dev.espalier.arrow",
            "dev.espalier.join",
            "dev.espalier.core",
            "dev.espalier.ffi",
            "HdrHistogram"),
        resolved.modules().stream().map(m -> m.name()).collect(Collectors.toSet()));
    ModuleLayer layer =
        ModuleLayer.boot()
            .defineModulesWithOneLoader(resolved, ClassLoader.getPlatformClassLoader());
    Class<?> lookup =
        layer.findLoader("dev.espalier.arrow").loadClass("dev.espalier.arrow.LongLookup");
    assertTrue(lookup.getModule().isNamed());
    Object index =
        layer
            .findLoader("dev.espalier.core")
            .loadClass("dev.espalier.family.Indexes")
            .getMethod("create")
            .invoke(null);
    Object made = lookup.getConstructors()[0].newInstance(index);
    assertEquals(lookup, made.getClass());
    ((AutoCloseable) index).close();
  }

  private static boolean isModule(Path entry) {
    return Files.exists(entry.resolve("module-info.class"))
        || entry.getFileName().toString().startsWith("espalier-");
  }
}
