package dev.sluice.lab.kit.page;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PageTests {

	@Test
	void beginsAPageOfWhichBodyAndDocumentAreOpen() {
		Html html = Page.begin("A <title>", "connect-src 'self';", "main { color: red }");

		assertThatIllegalStateException().isThrownBy(html::toString);
		String page = html.close().close().toString();
		assertThat(page).startsWith("<!DOCTYPE html><html lang=\"en\"><head>").endsWith("<body></body>\n</html>\n");
		assertThat(page).containsOnlyOnce("<title>A &lt;title&gt;</title>")
			.containsOnlyOnce("main { color: red }</style>")
			.containsOnlyOnce("</head>");
	}

	@Test
	void loadsNothingButWhatItsCallerAllows() {
		String page = Page.begin("a", "connect-src 'self';", "").close().close().toString();

		assertThat(page).contains("\"Content-Security-Policy\" content=\"default-src &#39;none&#39;;",
				"img-src data:; connect-src &#39;self&#39;;\"");
	}

	@Test
	void fitsScreensOfAnyWidthAndBothColourSchemes() {
		String page = Page.begin("a", "", "").close().close().toString();

		assertThat(page).contains("<meta charset=\"utf-8\">",
				"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
				"<meta name=\"color-scheme\" content=\"light dark\">");
	}

	@Test
	void saysWhatIsMissing() {
		assertThatIllegalStateException().isThrownBy(() -> Page.resource("/no.css"))
			.withMessageStartingWith("/no.css is missing");
	}

}
