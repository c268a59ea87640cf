package dev.sluice.lab.causes;

import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import org.jspecify.annotations.Nullable;

/** The settings as a text table of 100 columns; rates are medians of the trials. */
final class CausesText {

	private CausesText() {
	}

	static String of(CausesResult result) {
		StringBuilder text = new StringBuilder("%-52s %11s %11s %11s %11s%n".formatted("Orders answered per second",
				"N = " + Figures.count(result.few()), "N = " + Figures.count(result.many()), "of the base",
				"GC stopped"));
		Double base = perSecond(result, CausesResult.BASE, result.many());
		for (CausesResult.FactorLevels setting : result.settings()) {
			Double many = perSecond(result, setting.name(), result.many());
			Double pause = CausesResult.pauseShare(cells(result, setting.name(), result.many()));
			text.append("%-52s %11s %11s %11s %11s%n".formatted(
					setting.outOfMemory() ? setting.name() + ": out of memory" : setting.name(),
					Figures.measured(perSecond(result, setting.name(), result.few())), Figures.measured(many),
					(many != null && base != null && base > 0) ? Figures.percent(many / base) : Figures.NONE,
					(pause != null) ? Figures.percent(pause) : Figures.NONE));
		}
		return text.toString();
	}

	private static List<Cell> cells(CausesResult result, String setting, int orders) {
		return result.cells()
			.stream()
			.filter((cell) -> cell.setting().equals(setting) && cell.orders() == orders)
			.toList();
	}

	private static @Nullable Double perSecond(CausesResult result, String setting, int orders) {
		return Figures.median(cells(result, setting, orders).stream().mapToDouble(Cell::perSecond));
	}

}
