package dev.sluice.lab.kit.page;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** A row of a table: a part of something, such as a step of a search. */
public record Part<W, P>(W whole, P part) {

	/** The parts of all, one after the other. */
	public static <W, P> List<Part<W, P>> of(List<W> wholes, Function<W, ? extends Collection<P>> parts) {
		return wholes.stream()
			.flatMap((whole) -> parts.apply(whole).stream().map((part) -> new Part<>(whole, part)))
			.toList();
	}

}
