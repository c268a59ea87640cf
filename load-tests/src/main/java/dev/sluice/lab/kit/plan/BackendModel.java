package dev.sluice.lab.kit.plan;

import dev.sluice.contract.BackendBehaviour;

/**
 * A backend that a comparison runs against.
 *
 * @param label its name in options and results
 * @param behaviour its behaviour
 * @param description its parameters in words
 */
public record BackendModel(String label, BackendBehaviour behaviour, String description) {
}
