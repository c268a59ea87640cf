package dev.sluice.lab.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class LinkDocumentTests {

	@TempDir
	private Path directory;

	static List<Path> documents() throws IOException {
		return MarkdownDocument.all();
	}

	@ParameterizedTest
	@MethodSource("documents")
	void everyLinkLeadsSomewhere(Path document) throws IOException {
		assertThat(new MarkdownDocument(document).brokenLinks()).as(document.toString()).isEmpty();
	}

	@Test
	void findsLinksThatLeadNowhere() throws IOException {
		write("other.md", "# One key, one order\n\n## Same\n\n## Same\n");
		Path document = write("document.md",
				"""
						# Here

						[file](other.md) [heading](other.md#one-key-one-order) [second](other.md#same-1) [itself](#here)
						[web](https://example.org/nothing) ![picture](missing.png) [gone](gone.md#a) [no heading](other.md#same-2)

						```sh
						echo "[not a link](in-code.md)"
						```
						""");

		assertThat(new MarkdownDocument(document).brokenLinks()).satisfiesExactly(
				(link) -> assertThat(link).startsWith("missing.png: there is no "),
				(link) -> assertThat(link).startsWith("gone.md#a: there is no "),
				(link) -> assertThat(link).startsWith("other.md#same-2: ").endsWith("has no such heading"));
	}

	@Test
	void findsEveryDocumentButThoseOfBuilds() throws IOException {
		Path document = write("docs/a.md", "");
		write("target/b.md", "");

		assertThat(MarkdownDocument.all(this.directory)).containsExactly(document);
		assertThat(MarkdownDocument.all()).contains(MarkdownDocument.ROOT.resolve("README.md"));
	}

	private Path write(String name, String text) throws IOException {
		Path file = this.directory.resolve(name);
		Files.createDirectories(file.getParent());
		return Files.writeString(file, text);
	}

}
