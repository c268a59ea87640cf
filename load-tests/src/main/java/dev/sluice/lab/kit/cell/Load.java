package dev.sluice.lab.kit.cell;

import java.util.Comparator;
import java.util.Locale;

/**
 * The load on a gateway. Loads of different kinds cannot be compared.
 *
 * @param kind what is counted
 * @param size how many
 */
public record Load(Kind kind, int size) implements Comparable<Load> {

	/** What a load counts. */
	public enum Kind {

		/** Orders in flight: each user places the next when one is accepted. */
		IN_FLIGHT("orders in flight"),

		/** Orders due each second on schedule, whatever becomes of the others. */
		OFFERED("orders offered per second"),

		/** Orders placed at once, and no more. */
		BURST("orders of a burst (N)");

		private final String words;

		Kind(String words) {
			this.words = words;
		}

		/** The name of an axis of such loads. */
		public String words() {
			return this.words;
		}

		/** A load in words. */
		public String text(int size) {
			return text(String.format(Locale.ROOT, "%,d", size));
		}

		/** Several loads in words, given their sizes as text. */
		public String text(String sizes) {
			return switch (this) {
				case IN_FLIGHT -> sizes + " in flight";
				case OFFERED -> sizes + "/s offered";
				case BURST -> "N = " + sizes;
			};
		}

	}

	public static Load inFlight(int orders) {
		return new Load(Kind.IN_FLIGHT, orders);
	}

	@Override
	public int compareTo(Load other) {
		return Comparator.comparing(Load::kind).thenComparing(Load::size).compare(this, other);
	}

	@Override
	public String toString() {
		return this.kind.text(this.size);
	}

}
