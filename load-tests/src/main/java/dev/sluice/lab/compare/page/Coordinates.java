package dev.sluice.lab.compare.page;

import java.util.Comparator;
import java.util.List;

import dev.sluice.lab.kit.cell.Cell;

/**
 * The order in which reports list cells, and the style of each variant. Unknown names
 * come last.
 */
public final class Coordinates {

	public static final String SYNC = "sync";

	public static final String QUEUED = "queued";

	static final String WORKERS = "workers";

	static final String STARVED = "starved";

	static final String UNLIMITED = "unlimited";

	private static final List<String> VARIANTS = List.of("servlet-platform", "servlet-virtual", "servlet-async",
			"reactive");

	/** A cell's coordinates without the load and the repetition. */
	public record Series(String capacity, String mode, String variant) {

		public static Series of(Cell cell) {
			return new Series(cell.capacity(), cell.mode(), cell.variant());
		}

	}

	/** Slow backends first: there a mode matters most. */
	static final Comparator<Series> ORDER = Comparator
		.comparing(Series::capacity, as(List.of(WORKERS, STARVED, UNLIMITED)))
		.thenComparing(Series::mode, as(List.of(SYNC, QUEUED)))
		.thenComparing(Series::variant, as(VARIANTS));

	private Coordinates() {
	}

	/**
	 * The style of a variant in charts.
	 * @param variant its name
	 * @return an index into the page's colours and shapes
	 */
	public static int style(String variant) {
		int known = VARIANTS.indexOf(variant);
		return (known >= 0) ? known : VARIANTS.size();
	}

	/** A backend's name in reports. */
	public static String backend(String capacity) {
		return switch (capacity) {
			case WORKERS -> "Slow backend (20 workers)";
			case STARVED -> "Slow backend (starved)";
			case UNLIMITED -> "Fast backend (unlimited)";
			default -> "Backend " + capacity;
		};
	}

	private static Comparator<String> as(List<String> known) {
		return Comparator.<String>comparingInt((name) -> known.contains(name) ? known.indexOf(name) : known.size())
			.thenComparing(Comparator.naturalOrder());
	}

}
