package dev.sluice.lab.kit.page;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class ReferenceTableTests {

	@Test
	void hasTheRowsWithoutTheHead() {
		assertThat(ReferenceTable.rows(ReferenceTableTests.class, "reference.csv"))
			.containsExactly(new String[] { "2", "10.5", "" }, new String[] { "4", "", "x" });
	}

	@Test
	void saysWhichTableIsMissing() {
		assertThatNullPointerException().isThrownBy(() -> ReferenceTable.rows(ReferenceTableTests.class, "no.csv"))
			.withMessage("no.csv");
	}

}
