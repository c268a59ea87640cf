package dev.sluice.lab.bundle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.report.Report;

/**
 * Compares a run with its repetition: the machines, the configurations and the verdicts.
 */
record TwoRuns(RunResult first, RunResult second) {

	private static final String NUMBER = "(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?";

	/**
	 * A number in a sentence. Loads, in the first group, count as words: a choice at
	 * another load is another verdict. So does a zero: "none" is not "few".
	 */
	private static final Pattern FIGURE = Pattern
		.compile("((?<![\\w.,])%1$s(?:(?:, | to | and )%1$s)*(?= in flight|/s offered)|N = %1$s(?:, %1$s)*)"
			.formatted(NUMBER) + "|(?<![\\w.,])(?:[−<>]\\s?)?(?!0(?![.,]?\\d))%s".formatted(NUMBER));

	private static final String SIGN = " " + Reliability.SIGN;

	/** How a sentence of the second run compares with the first run's. */
	enum Similarity {

		/** Identical. */
		SAME("="),

		/** Identical except for measured figures or their marks. */
		OTHER_FIGURES("~"),

		/** Different, or missing. */
		OTHER("≠");

		private final String sign;

		Similarity(String sign) {
			this.sign = sign;
		}

	}

	/**
	 * A verdict of both runs.
	 *
	 * @param first empty if the first run does not say it
	 * @param second empty if the second does not
	 */
	record Pair(String first, String second) {

		Similarity similarity() {
			if (this.first.equals(this.second)) {
				return Similarity.SAME;
			}
			return (!this.first.isEmpty() && withoutFigures(this.first).equals(withoutFigures(this.second)))
					? Similarity.OTHER_FIGURES : Similarity.OTHER;
		}

		private static String withoutFigures(String sentence) {
			return FIGURE.matcher(sentence.replace(SIGN, ""))
				.replaceAll((number) -> (number.group(1) != null) ? number.group(1) : "#")
				.replace("# to #", "#");
		}

	}

	/** The verdicts of both runs, paired by position. */
	List<Pair> verdicts() {
		List<String> one = Report.answers(this.first);
		List<String> other = Report.answers(this.second);
		List<Pair> pairs = new ArrayList<>();
		for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
			pairs.add(new Pair((i < one.size()) ? one.get(i) : "", (i < other.size()) ? other.get(i) : ""));
		}
		return pairs;
	}

	/** Whether there is a verdict and none differs in its words. */
	boolean agree() {
		List<Pair> verdicts = verdicts();
		return !verdicts.isEmpty() && verdicts.stream().allMatch((pair) -> pair.similarity() != Similarity.OTHER);
	}

	/** Differences between the two runs, other than measured figures. */
	List<String> differences() {
		List<String> differences = new ArrayList<>();
		Environment one = this.first.environment();
		Environment other = this.second.environment();
		differ(differences, "processor", one.cpu(), other.cpu());
		differ(differences, "cores", one.cores(), other.cores());
		differ(differences, "memory", Figures.bytes(one.memoryBytes()), Figures.bytes(other.memoryBytes()));
		differ(differences, "system", one.os(), other.os());
		differ(differences, "Java", one.java(), other.java());
		differ(differences, "Kafka and PostgreSQL", one.infrastructure(), other.infrastructure());
		differ(differences, "commit", commit(one), commit(other));
		differ(differences, "", one.versions(), other.versions());
		differ(differences, "", this.first.configuration(), this.second.configuration());
		differ(differences, "whole", whole(this.first), whole(this.second));
		return differences;
	}

	private static String commit(Environment environment) {
		return environment.gitSha() + (environment.gitDirty() ? " with local changes" : "");
	}

	private static String whole(RunResult run) {
		return (run.partial() == null) ? "yes" : "no, " + run.partial();
	}

	private static void differ(List<String> differences, String what, Map<String, String> one,
			Map<String, String> other) {
		TreeSet<String> names = new TreeSet<>(one.keySet());
		names.addAll(other.keySet());
		names.forEach((name) -> differ(differences, what + name, one.getOrDefault(name, Figures.NONE),
				other.getOrDefault(name, Figures.NONE)));
	}

	private static void differ(List<String> differences, String what, Object one, Object other) {
		if (!Objects.equals(one, other)) {
			differences.add("%s: %s → %s".formatted(what, one, other));
		}
	}

	/** The differences and the verdicts as text for the terminal. */
	String text() {
		StringBuilder text = new StringBuilder();
		List<String> differences = differences();
		line(text, differences.isEmpty() ? "Same machine, versions, commit and configuration."
				: "What differs, first run → second run:");
		differences.forEach((difference) -> line(text, "  " + difference));
		line(text, "");
		List<Pair> verdicts = verdicts();
		line(text, verdicts.isEmpty() ? "Neither run has a verdict."
				: "Verdicts, first (1) and second (2) run; = the same, ~ other figures, ≠ another verdict:");
		for (Pair pair : verdicts) {
			Similarity similarity = pair.similarity();
			if (similarity == Similarity.SAME) {
				line(text, "  = " + pair.first());
			}
			else {
				line(text, "  %s 1 %s".formatted(similarity.sign, pair.first().isEmpty() ? "(none)" : pair.first()));
				line(text, "    2 " + (pair.second().isEmpty() ? "(none)" : pair.second()));
			}
		}
		return text.toString();
	}

	private static void line(StringBuilder text, String line) {
		text.append(line).append(System.lineSeparator());
	}

}
