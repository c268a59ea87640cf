package dev.sluice.lab.kit.cell;

/**
 * The coordinates of a measurement of {@code lab compare}.
 *
 * @param variant which gateway
 * @param mode {@code sync} or {@code queued}
 * @param capacity the backend's capacity model, {@code unlimited} or {@code starved}
 * @param load how much is asked of it
 * @param repetition which time, from 1
 */
public record Cell(String variant, String mode, String capacity, Load load, int repetition) {

	@Override
	public String toString() {
		return "%s %s, backend %s, %s, repetition %d".formatted(this.variant, this.mode, this.capacity, this.load,
				this.repetition);
	}

}
