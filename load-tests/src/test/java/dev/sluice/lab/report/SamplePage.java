package dev.sluice.lab.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.kit.result.Runs;

/**
 * Writes pages of invented runs to view in a browser: {@code target/sample-report.html},
 * {@code -partial.html}, {@code -chaos.html}, {@code -causes.html} and
 * {@code -several.html}.
 */
final class SamplePage {

	private SamplePage() {
	}

	public static void main(String[] args) throws IOException {
		Report.write(List.of(Runs.full()), Path.of("target/sample-report.html"));
		Report.write(List.of(Runs.partial()), Path.of("target/sample-report-partial.html"));
		Report.write(List.of(Runs.chaos(0)), Path.of("target/sample-report-chaos.html"));
		Report.write(Runs.ofEveryKind(), Path.of("target/sample-report-several.html"));
		Report.write(List.of(Runs.causes()), Path.of("target/sample-report-causes.html"));
	}

}
