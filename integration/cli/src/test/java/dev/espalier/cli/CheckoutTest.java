// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckoutTest {

  @Test
  void checkoutIsFoundFromTheJarsOfTheLauncher(@TempDir Path folder) throws IOException {
    Path jar = folder.resolve("integration/cli/target/app-sources-1-2/lib/espalier-cli.jar");
    assertEquals(Optional.empty(), Checkout.around(jar));
    Files.createDirectories(folder.resolve("integration/cli"));
    Files.createFile(folder.resolve("integration/cli/pom.xml"));
    assertEquals(Optional.of(folder), Checkout.around(jar));
  }

  /** Its commit would be taken for one of Espalier. */
  @Test
  void checkoutOfAnotherProjectIsNone(@TempDir Path folder) throws IOException {
    Files.createDirectories(folder.resolve(".git"));
    Files.createFile(folder.resolve("pom.xml"));
    assertEquals(
        Optional.empty(),
        Checkout.around(folder.resolve("tools/espalier-1.0/lib/espalier-cli.jar")));
  }

  @Test
  void commitIsKnownOrSaidNotToBe() {
    assertTrue(Checkout.commit().matches("unknown|[0-9a-f]{40}( with local changes)?"));
  }
}
