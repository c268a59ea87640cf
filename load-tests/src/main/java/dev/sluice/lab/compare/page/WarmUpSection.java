package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.CompareResult.WarmUpCurve;
import dev.sluice.lab.kit.result.RunResult;

/** The warm-up of the services before the first cell. */
final class WarmUpSection extends Section {

	/** Share of the peak from which on a rate is near it. */
	private static final double NEAR_PEAK = 0.95;

	WarmUpSection() {
		super("warm-up", "Was everything warm?");
	}

	static boolean appliesTo(RunResult run) {
		return !curves(run).isEmpty();
	}

	private static List<WarmUpCurve> curves(RunResult run) {
		return (run.finding() instanceof CompareResult compare)
				? compare.warmUps().stream().filter((curve) -> !curve.windows().isEmpty()).toList() : List.of();
	}

	@Override
	public void write(RunResult run, Html html) {
		List<WarmUpCurve> curves = curves(run);
		long settled = curves.stream().filter(WarmUpCurve::settled).count();
		html.element("p",
				"All gateways and modes take orders by turns until two windows agree in rate and CPU per order within %s and the compilers use at most %s of the CPU: %d of %d warm-ups met this rule. The first reached %s of its peak after %s s."
					.formatted(Figures.percent(curves.getFirst().within()), Figures.percent(WarmUpWindow.MAX_JIT_SHARE),
							settled, curves.size(), Figures.percent(NEAR_PEAK),
							Figures.measured(nearPeak(curves.getFirst()))));
		html.chart(chart(curves), table(curves));
	}

	private static double nearPeak(WarmUpCurve curve) {
		double peak = curve.windows().stream().mapToDouble(WarmUpWindow::savedPerSecond).max().orElse(0);
		return curve.windows()
			.stream()
			.filter((window) -> window.savedPerSecond() >= NEAR_PEAK * peak)
			.mapToDouble(WarmUpWindow::endSeconds)
			.findFirst()
			.orElseThrow();
	}

	private static Chart chart(List<WarmUpCurve> curves) {
		List<Chart.Line> lines = new ArrayList<>();
		for (WarmUpCurve curve : curves) {
			lines.add(new Chart.Line("round " + curve.round(), lines.isEmpty() ? 0 : -1,
					curve.windows()
						.stream()
						.map((window) -> Chart.Point.at(window.endSeconds(), window.savedPerSecond(), false))
						.toList()));
		}
		double top = curves.stream()
			.flatMap((curve) -> curve.windows().stream())
			.mapToDouble(WarmUpWindow::savedPerSecond)
			.max()
			.orElse(1);
		List<Integer> seconds = curves.stream()
			.flatMap((curve) -> curve.windows().stream())
			.map((window) -> (int) Math.max(1, Math.round(window.endSeconds())))
			.distinct()
			.sorted()
			.toList();
		return new Chart.Lines("Orders saved per second while the services grow warm",
				"The rate of each window of each warm-up against the time since its beginning.", 260, 500, "seconds",
				"saved per second", "", top, seconds, lines);
	}

	private static Table table(List<WarmUpCurve> curves) {
		Table table = new Table("Windows of the warm-ups", 1,
				List.of("Round", "until, s", "saved per second", "CPU ms per order", "of it compiling"));
		for (WarmUpCurve curve : curves) {
			curve.windows()
				.forEach((window) -> table.row(curve.round(), Figures.measured(window.endSeconds()),
						Figures.measured(window.savedPerSecond()), Figures.measured(window.cpuMillisPerOrder()),
						Figures.percent(window.jitShare())));
		}
		return table;
	}

}
