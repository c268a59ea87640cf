package dev.sluice.lab.kit.plan;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.plan.Phase.Flap;
import org.jspecify.annotations.Nullable;

/**
 * A backend that a comparison runs against.
 *
 * @param label its name in options and results
 * @param behaviour its behaviour
 * @param flap behaviour that it alternates with; null if it does not flap
 * @param description its parameters in words
 */
public record BackendModel(String label, BackendBehaviour behaviour, @Nullable Flap flap, String description) {
}
