// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.Arena;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The native memory that an object of this library has, and had at earlier looks: memory that it
 * leads to no longer must have been given back.
 */
public final class Arenas {
  private static final Map<Class<?>, List<Field>> FIELDS = new HashMap<>();

  private final Object owner;
  private final Set<Arena> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Looks at an object for the first time. */
  public Arenas(Object owner) {
    this.owner = owner;
    leaked();
  }

  /** Returns how many arenas were seen so far. */
  public int seen() {
    return seen.size();
  }

  /** Returns how many of the arenas seen so far were not closed. */
  public long open() {
    return seen.stream().filter(arena -> arena.scope().isAlive()).count();
  }

  /** Looks again. Returns how many arenas were not closed although the object has others now. */
  public long leaked() {
    Set<Arena> present = reachable(owner);
    seen.addAll(present);
    return seen.stream()
        .filter(arena -> !present.contains(arena) && arena.scope().isAlive())
        .count();
  }

  private static Set<Arena> reachable(Object root) {
    Set<Arena> arenas = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> left = new ArrayDeque<>(List.of(root));
    while (!left.isEmpty()) {
      Object object = left.pop();
      if (!visited.add(object)) {
        continue;
      }
      if (object instanceof Arena arena) {
        arenas.add(arena);
      } else if (object instanceof Collection<?> elements) {
        elements.forEach(element -> pushIfAny(left, element));
      } else if (object instanceof Object[] elements) {
        for (int i = 0; i < elements.length; i++) {
          pushIfAny(left, Array.get(elements, i));
        }
      } else if (isOurs(object.getClass())) {
        for (Field field : fields(object.getClass())) {
          pushIfAny(left, read(field, object));
        }
      }
    }
    return arenas;
  }

  private static boolean isOurs(Class<?> type) {
    return type.getName().startsWith("dev.espalier.");
  }

  private static void pushIfAny(Deque<Object> left, @Nullable Object object) {
    if (object != null) {
      left.push(object);
    }
  }

  private static @Nullable Object read(Field field, Object object) {
    try {
      return field.get(object);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the fields of a class and those above it that hold references, but for static ones. */
  private static synchronized List<Field> fields(Class<?> type) {
    return FIELDS.computeIfAbsent(
        type,
        _ -> {
          List<Field> all = new ArrayList<>();
          for (Class<?> each = type; isOurs(each); each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
              if (!field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                all.add(field);
              }
            }
          }
          return all;
        });
  }
}
