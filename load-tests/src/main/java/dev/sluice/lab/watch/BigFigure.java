package dev.sluice.lab.watch;

import java.util.Locale;

/**
 * The large figures above the charts, which {@code watch.js} computes from the panels.
 */
enum BigFigure {

	ANSWERED("orders answered per second"),

	FAILED("of them failed or refused"),

	SAVED("saved at the backend per second"),

	WAITING("orders in the system"),

	P99("ms, p99 of the slower mode");

	private final String words;

	BigFigure(String words) {
		this.words = words;
	}

	/** Id of its element. */
	String id() {
		return "big-" + name().toLowerCase(Locale.ROOT);
	}

	String words() {
		return this.words;
	}

}
