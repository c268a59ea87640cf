/**
 * Scenarios as data: {@code load-tests/scenarios/*.yaml} and a user's own. Start at
 * {@link dev.sluice.lab.scenario.ScenarioFile}.
 */
@NullMarked
package dev.sluice.lab.scenario;

import org.jspecify.annotations.NullMarked;
