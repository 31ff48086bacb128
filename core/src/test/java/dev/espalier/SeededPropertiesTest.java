// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.EngineFilter.includeEngines;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class SeededPropertiesTest {
  private static final List<Long> EXAMPLES = new ArrayList<>();

  /** Draws; jqwik calls it for this test only. */
  static final class Drawing {
    @Property(tries = 50)
    void draws(@ForAll long example) {
      EXAMPLES.add(example);
    }
  }

  @Test
  void sameSeedDrawsTheSameExamplesAgain() {
    List<Long> first = examplesOf(1);
    assertEquals(50, first.size());
    assertEquals(first, examplesOf(1));
    assertNotEquals(first, examplesOf(2));
  }

  private static List<Long> examplesOf(long seed) {
    EXAMPLES.clear();
    new Draw(seed, 1)
        .instead(
            () ->
                LauncherFactory.create()
                    .execute(
                        LauncherDiscoveryRequestBuilder.request()
                            .selectors(selectClass(Drawing.class))
                            .filters(includeEngines("jqwik"))
                            .build()));
    return List.copyOf(EXAMPLES);
  }
}
