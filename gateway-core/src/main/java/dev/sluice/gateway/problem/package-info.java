/**
 * Problem documents (RFC 9457). Start at
 * {@link dev.sluice.gateway.problem.ProblemException}.
 */
@NullMarked
package dev.sluice.gateway.problem;

import org.jspecify.annotations.NullMarked;
