/**
 * Problem documents (RFC 9457). Start at
 * {@link dev.sluice.gateway.core.problem.ProblemException}.
 */
@NullMarked
package dev.sluice.gateway.core.problem;

import org.jspecify.annotations.NullMarked;
