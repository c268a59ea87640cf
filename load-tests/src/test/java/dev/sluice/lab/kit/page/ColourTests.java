package dev.sluice.lab.kit.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The six colours of the charts, computed from the style sheet. */
class ColourTests {

	private static final Pattern COLOURS = Pattern.compile("(--card|--s[0-5]): #([0-9a-f]{6})");

	/**
	 * How eyes see linear RGB: with all receptors, and without the one for red, green or
	 * blue (Machado, Oliveira and Fernandes 2009, severity 1).
	 */
	private static final List<double[][]> EYES = List.of(new double[][] { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
			new double[][] { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 },
					{ -0.003882, -0.048116, 1.051998 } },
			new double[][] { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 },
					{ -0.011820, 0.042940, 0.968881 } },
			new double[][] { { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 },
					{ 0.004733, 0.691367, 0.303900 } });

	/**
	 * Difference of lightness, 0 to 100, in grey print: a step of 5 is visible side by
	 * side.
	 */
	private static final double GREY_STEP = 5;

	/** Difference of two colours by CIE76; 2.3 is just noticeable. */
	private static final double APART = 20;

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void theColoursStayApart(int scheme) {
		List<double[]> colours = colours(scheme);

		assertThat(colours).hasSize(6);
		for (int i = 0; i < colours.size(); i++) {
			for (int j = 0; j < i; j++) {
				double[] one = colours.get(i);
				double[] other = colours.get(j);
				assertThat(EYES).as("%s and %s of scheme %s", i, j, scheme)
					.allMatch((eye) -> distance(lab(seen(eye, one)), lab(seen(eye, other))) > APART);
				assertThat(Math.abs(lab(one)[0] - lab(other)[0])).as("grey of %s and %s of scheme %s", i, j, scheme)
					.isGreaterThan(GREY_STEP);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void eachIsSeenOnThePage(int scheme) {
		double page = luminance(all().get(scheme * 7));

		assertThat(colours(scheme)).allSatisfy((colour) -> {
			double own = luminance(colour);
			assertThat((Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05)).isGreaterThan(3);
		});
	}

	/**
	 * The colours of the page and then its six series: on light, on dark and on paper.
	 */
	private static List<double[]> colours(int scheme) {
		return all().subList(scheme * 7 + 1, scheme * 7 + 7);
	}

	private static List<double[]> all() {
		List<double[]> linear = new ArrayList<>();
		String style = Html.resource("/dev/sluice/lab/report/report.css").replace("--card: #fff;", "--card: #ffffff;");
		for (MatchResult match : COLOURS.matcher(style).results().toList()) {
			int rgb = Integer.parseInt(match.group(2), 16);
			linear.add(IntStream.of(rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff).mapToDouble(ColourTests::linear).toArray());
		}
		return linear;
	}

	private static double linear(int value) {
		double share = value / 255.0;
		return (share <= 0.04045) ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
	}

	private static double[] seen(double[][] eye, double[] colour) {
		return Stream.of(eye).mapToDouble((row) -> Math.clamp(sum(row, colour), 0, 1)).toArray();
	}

	private static double sum(double[] row, double[] colour) {
		return IntStream.range(0, 3).mapToDouble((i) -> row[i] * colour[i]).sum();
	}

	private static double luminance(double[] linear) {
		return sum(new double[] { 0.2126, 0.7152, 0.0722 }, linear);
	}

	/** CIE L*a*b*, under daylight. */
	private static double[] lab(double[] linear) {
		double[] xyz = DoubleStream
			.of(sum(new double[] { 0.4124, 0.3576, 0.1805 }, linear) / 0.95047, luminance(linear),
					sum(new double[] { 0.0193, 0.1192, 0.9505 }, linear) / 1.08883)
			.map((value) -> (value > 0.008856) ? Math.cbrt(value) : 7.787 * value + 16.0 / 116)
			.toArray();
		return new double[] { 116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2]) };
	}

	private static double distance(double[] one, double[] other) {
		return Math.sqrt(Arrays.stream(new int[] { 0, 1, 2 }).mapToDouble((i) -> Math.pow(one[i] - other[i], 2)).sum());
	}

}
