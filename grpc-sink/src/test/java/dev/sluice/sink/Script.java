package dev.sluice.sink;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.provider.Arguments;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plays scenarios: steps that a line or a semicolon ends. A step is a word, which a test
 * defines, and its arguments; {@code 3x(pass 1s, send a)} are six steps.
 */
public final class Script {

	private static final Pattern REPEATED = Pattern.compile("(\\d+)x\\((.*)\\)");

	private final Map<String, Step> words = new HashMap<>();

	private int played;

	/** What a word does. */
	@FunctionalInterface
	public interface Step {

		void run(List<String> arguments) throws Exception;

	}

	/**
	 * Reads scenarios for a test with parameters: a line says what must hold, and the
	 * indented lines below it are its steps.
	 */
	public static Stream<Arguments> scenarios(String text) {
		return Stream.of(text.split("\n(?!\\s)")).map((scenario) -> Arguments.of((Object[]) scenario.split("\n", 2)));
	}

	public static Duration time(String text) {
		return DurationStyle.SIMPLE.parse(text);
	}

	public Script word(String word, Step step) {
		this.words.put(word, step);
		return this;
	}

	/** Defines a word for what has been added to a list since it was used before. */
	public Script added(String word, Supplier<List<String>> list) {
		AtomicInteger seen = new AtomicInteger();
		return word(word, (expected) -> {
			List<String> all = list.get();
			assertThat(String.join(" ", all.subList(seen.getAndSet(all.size()), all.size())))
				.isEqualTo(String.join(" ", expected));
		});
	}

	/** Defines a word for all of a list. */
	public Script shown(String word, Supplier<List<String>> list) {
		return word(word, (expected) -> assertThat(String.join(" ", list.get())).isEqualTo(String.join(" ", expected)));
	}

	/** Defines the word {@code is}: all its arguments are in this text. */
	public Script is(Supplier<String> state) {
		return word("is", (expected) -> assertThat(state.get().split("[\\[\\], ]+")).containsAll(expected));
	}

	public void play(String steps) {
		for (String step : steps.split("[;\n]")) {
			step(step.strip());
		}
	}

	private void step(String step) {
		Matcher repeated = REPEATED.matcher(step);
		if (repeated.matches()) {
			for (int i = Integer.parseInt(repeated.group(1)); i > 0; i--) {
				Stream.of(repeated.group(2).split(", ")).forEach(this::step);
			}
			return;
		}
		this.played++;
		List<String> words = List.of(step.split(" +"));
		try {
			this.words.get(words.getFirst()).run(words.subList(1, words.size()));
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError("Step %s, '%s': %s".formatted(this.played, step, ex.getMessage()), ex);
		}
	}

}
