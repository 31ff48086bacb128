// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static dev.espalier.threads.History.ABSENT;
import static dev.espalier.threads.History.DONE;
import static dev.espalier.threads.History.Kind.DELETE;
import static dev.espalier.threads.History.Kind.GET;
import static dev.espalier.threads.History.Kind.INSERT;
import static dev.espalier.threads.History.Kind.PUT;
import static dev.espalier.threads.History.Kind.PUT_IF_ABSENT;
import static dev.espalier.threads.History.Kind.REMOVE;
import static dev.espalier.threads.History.Kind.REMOVE_IF;
import static dev.espalier.threads.History.Kind.REPLACE;
import static dev.espalier.threads.History.Kind.SET;
import static dev.espalier.threads.History.NOT_DONE;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.threads.History.Call;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {
  private static boolean isLinearizable(Call... calls) {
    return History.isLinearizable(List.of(calls));
  }

  @Test
  void callsOneAfterTheOtherHaveOneOrder() {
    Call put = new Call(PUT, 1, ABSENT, 0, 1);
    assertTrue(isLinearizable(put, new Call(GET, 0, 1, 2, 3)));
    assertFalse(isLinearizable(put, new Call(GET, 0, ABSENT, 2, 3)), "a lost write");
    assertFalse(isLinearizable(put, new Call(GET, 0, 2, 2, 3)), "a value that nobody wrote");
    assertTrue(isLinearizable(put, new Call(REMOVE, 0, 1, 2, 3), new Call(GET, 0, ABSENT, 4, 5)));
  }

  @Test
  void callsAtOnceMayHaveAnyOrder() {
    Call put = new Call(PUT, 1, ABSENT, 0, 10);
    assertTrue(isLinearizable(put, new Call(GET, 0, ABSENT, 2, 3)));
    assertTrue(isLinearizable(put, new Call(GET, 0, 1, 2, 3)));
  }

  @Test
  void whatWasSeenOnceStaysSeen() {
    Call put = new Call(PUT, 1, ABSENT, 0, 10);
    Call sees = new Call(GET, 0, 1, 1, 2);
    Call seesNot = new Call(GET, 0, ABSENT, 3, 4);
    assertFalse(isLinearizable(put, sees, seesNot));
  }

  @Test
  void twoThatWereBothFirstAreRefused() {
    Call first = new Call(PUT_IF_ABSENT, 1, ABSENT, 0, 10);
    assertFalse(isLinearizable(first, new Call(PUT_IF_ABSENT, 2, ABSENT, 0, 10)));
    assertTrue(isLinearizable(first, new Call(PUT_IF_ABSENT, 2, 1, 0, 10)));
  }

  @Test
  void entryIsRemovedOnce() {
    Call put = new Call(PUT, 1, ABSENT, 0, 1);
    Call remove = new Call(REMOVE, 0, 1, 2, 10);
    assertFalse(isLinearizable(put, remove, new Call(REMOVE, 0, 1, 2, 10)));
    assertTrue(isLinearizable(put, remove, new Call(REMOVE, 0, ABSENT, 2, 10)));
  }

  @Test
  void callThatTellsWhetherItDidSomethingMustHaveDoneIt() {
    Call put = new Call(PUT, 1, ABSENT, 0, 1);
    Call replace = new Call(REPLACE, 2, 1, DONE, 2, 3);
    assertTrue(isLinearizable(put, replace, new Call(GET, 0, 2, 4, 5)));
    assertFalse(isLinearizable(put, replace, new Call(GET, 0, 1, 4, 5)));
    assertFalse(isLinearizable(put, new Call(REPLACE, 2, 1, NOT_DONE, 2, 3)));
    assertFalse(isLinearizable(put, new Call(INSERT, 2, ABSENT, DONE, 2, 3)));
    Call remove = new Call(REMOVE_IF, 0, 1, DONE, 2, 5);
    assertTrue(isLinearizable(put, remove, new Call(REMOVE_IF, 0, 1, NOT_DONE, 2, 5)));
    assertFalse(isLinearizable(put, remove, new Call(REMOVE_IF, 0, 1, DONE, 2, 5)), "both");
  }

  @Test
  void callWithoutAnAnswerTakesEffectAllTheSame() {
    Call set = new Call(SET, 1, DONE, 0, 1);
    Call delete = new Call(DELETE, 0, DONE, 2, 10);
    assertTrue(isLinearizable(set, delete, new Call(GET, 0, 1, 3, 4)));
    assertFalse(isLinearizable(set, delete, new Call(GET, 0, 1, 11, 12)));
    assertFalse(isLinearizable(set, new Call(GET, 0, ABSENT, 2, 3)));
  }
}
