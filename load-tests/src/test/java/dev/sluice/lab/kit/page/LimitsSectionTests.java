package dev.sluice.lab.kit.page;

import java.util.List;

import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LimitsSectionTests {

	private final Section section = new LimitsSection(List.of("One machine.", "One < two."));

	@Test
	void listsItsSentences() {
		Html html = new Html();

		this.section.write(Runs.brief(), html);

		assertThat(html).hasToString("<ul><li>One machine.</li>\n<li>One &lt; two.</li>\n</ul>\n");
	}

	@Test
	void answersNothing() {
		assertThat(this.section.answers(Runs.brief())).isEmpty();
		assertThat(this.section.id()).isEqualTo("limits");
		assertThat(this.section.title()).isEqualTo("What limits it");
	}

}
