package dev.sluice.lab.report;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OverviewTests {

	private static final Pattern ID = Pattern.compile("<[a-z1-6]+ [^>]*?\\bid=\"([^\"]+)\"");

	private static final Pattern LINK = Pattern.compile("href=\"#([^\"]+)\"");

	@Test
	void standsBeforeSeveralRunsAndLinksToEach() {
		String page = Report.page(List.of(Runs.full(), Runs.grid(), Runs.knee(), Runs.client(), Runs.pool()));

		assertThat(page.indexOf("id=\"overview\"")).isPositive().isLessThan(page.indexOf("id=\"run-1\""));
		assertThat(page).contains("Which mode for which load?", "href=\"#run-5\"",
				"How much more does a gateway answer that does not block?", "What limits it");
	}

	@Test
	void aSingleRunNeedsNone() {
		assertThat(Report.page(List.of(Runs.full()))).doesNotContain("id=\"overview\"");
	}

	@Test
	void leavesScenariosOutOfTheComparison() {
		assertThat(Report.page(List.of(Runs.scenario(), Runs.grid()))).contains("No run of lab compare is among these");
	}

	@Test
	void saysThatNothingWasCompared() {
		assertThat(Report.page(List.of(Runs.grid(), Runs.knee()))).contains("No run of lab compare is among these");
	}

	@Test
	void everyIdIsThereOnceAndEveryLinkLeadsToOne() {
		String page = Report.page(Runs.ofEveryKind()).replaceAll("(?s)<script.*?</script>", "");

		List<String> ids = ID.matcher(page).results().map((MatchResult match) -> match.group(1)).toList();
		assertThat(ids).doesNotHaveDuplicates();
		assertThat(LINK.matcher(page).results().map((match) -> match.group(1))).isNotEmpty().allMatch(ids::contains);
		assertThat(page.split("<main", -1)).hasSize(2);
	}

}
