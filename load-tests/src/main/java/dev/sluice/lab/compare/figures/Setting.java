package dev.sluice.lab.compare.figures;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A treatment of the experiment: some factors at another level than in the base.
 *
 * @param name unique; the variant of its cells
 */
public record Setting(String name, Set<Factor> changed) {

	public static final Setting BASE = new Setting("base", Set.of());

	/**
	 * All but the gateway's threads: 14 would keep the others' load away from gateway and
	 * backend, and the reference's gateway does not block its threads.
	 */
	public static final Setting ALL = new Setting("all together",
			EnumSet.complementOf(EnumSet.of(Factor.GATEWAY_THREADS)));

	public Setting {
		changed = Set.copyOf(changed);
	}

	/** The base, each factor alone, and all together. */
	public static List<Setting> all() {
		return Stream
			.of(Stream.of(BASE),
					Stream.of(Factor.values()).map((factor) -> new Setting(factor.change(), Set.of(factor))),
					Stream.of(ALL))
			.flatMap((settings) -> settings)
			.toList();
	}

	public boolean has(Factor factor) {
		return this.changed.contains(factor);
	}

	/** Whether it differs from the base at most in heap and collector. */
	public boolean concernsMemoryAlone() {
		return Set.of(Factor.HEAP, Factor.COLLECTOR).containsAll(this.changed);
	}

}
