// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.cli.Espalier;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/**
 * What the command line did, which has {@link ExperimentCommand} among its commands.
 *
 * @param status exit status
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record CommandRun(int status, String out, String err) {

  static CommandRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<?> more = List.of(new ExperimentCommand());
    int status = Espalier.run(new PrintWriter(out), new PrintWriter(err), more, arguments);
    return new CommandRun(status, out.toString(), err.toString());
  }
}
