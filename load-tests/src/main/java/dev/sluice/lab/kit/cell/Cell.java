package dev.sluice.lab.kit.cell;

/**
 * The coordinates of a measurement of {@code lab compare}.
 *
 * @param variant the gateway
 * @param mode {@code sync} or {@code queued}
 * @param capacity backend's capacity model, such as {@code unlimited}
 * @param repetition from 1
 */
public record Cell(String variant, String mode, String capacity, Load load, int repetition) {

	@Override
	public String toString() {
		return "%s %s, backend %s, %s, repetition %s".formatted(this.variant, this.mode, this.capacity, this.load,
				this.repetition);
	}

}
