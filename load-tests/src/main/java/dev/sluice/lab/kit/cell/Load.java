package dev.sluice.lab.kit.cell;

import java.util.Locale;

/**
 * How much is asked of a gateway. Loads of different kinds do not compare.
 *
 * @param kind what is counted
 * @param size how many
 */
public record Load(Kind kind, int size) {

	/** What a load counts. */
	public enum Kind {

		/** Orders in flight: each user places the next when one is accepted. */
		IN_FLIGHT("orders in flight"),

		/** Orders due each second by the clock, whatever becomes of the others. */
		OFFERED("orders offered per second"),

		/** Orders placed at once, and no more. */
		BURST("orders of a burst (N)");

		private final String words;

		Kind(String words) {
			this.words = words;
		}

		/** What an axis of such loads is called. */
		public String words() {
			return this.words;
		}

		/** A load in words. */
		public String text(int size) {
			return text(String.format(Locale.ROOT, "%,d", size));
		}

		/** Some loads in words, their sizes being written already. */
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
	public String toString() {
		return this.kind.text(this.size);
	}

}
