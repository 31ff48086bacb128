// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.reflect.AnnotatedElement;
import java.util.Optional;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Lets every property draw the same examples in each run, from the seed of the run; another seed,
 * or a property's own, draws others. jqwik finds it as a service.
 */
public final class SeededProperties implements AroundPropertyHook {
  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    if (context.attributes().seed().isEmpty()) {
      context.attributes().setSeed(Long.toString(TestSize.seed()));
    }
    return property.execute();
  }

  @Override
  public boolean appliesTo(Optional<AnnotatedElement> element) {
    return true;
  }

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }
}
