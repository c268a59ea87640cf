package dev.sluice.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class GeneratedTableTests {

	@TempDir
	private Path directory;

	@Test
	void saysWhichTableIsStaleAndHowToWriteIt() throws IOException {
		GeneratedTable table = table("""
				<!-- begin all -->
				| name | meaning |
				| --- | --- |
				<!-- end all -->
				""");

		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> table.row("a", "b").check(false))
			.withMessageContaining("The table 'all'")
			.withMessageContaining("-Dsluice.docs=write");
	}

	@Test
	void writesTheTableAndNothingElse() throws IOException {
		GeneratedTable table = table("Before.\n<!-- begin all -->\nold, and longer than the table that replaces it\n"
				+ "<!-- end all -->\nÄfter.\n");

		table.row("a", "b").check(true);

		assertThat(this.directory.resolve("document.md")).content().isEqualTo("""
				Before.
				<!-- begin all -->
				| name | meaning |
				| --- | --- |
				| a | b |
				<!-- end all -->
				Äfter.
				""");
		assertThatCode(() -> table.check(false)).doesNotThrowAnyException();
	}

	@Test
	void saysWhichCommentIsMissing() throws IOException {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> table("None.").check(false))
			.withMessageContaining("has no line '<!-- begin all -->'");
	}

	private GeneratedTable table(String text) throws IOException {
		return new GeneratedTable(Files.writeString(this.directory.resolve("document.md"), text), "all", "name",
				"meaning");
	}

}
