package dev.sluice.lab.kit.page;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class HtmlTests {

	private final Html html = new Html();

	@Test
	void textBecomesNoMarkup() {
		this.html.text("<script>alert('a' && \"b\")</script>");

		assertThat(this.html).hasToString("&lt;script&gt;alert(&#39;a&#39; &amp;&amp; &quot;b&quot;)&lt;/script&gt;");
	}

	@Test
	void anAttributeDoesNotEndItsQuotes() {
		this.html.element("p", "a", "title", "\" onclick='x' <&>", "id", "b");

		assertThat(this.html).hasToString("<p title=\"&quot; onclick=&#39;x&#39; &lt;&amp;&gt;\" id=\"b\">a</p>\n");
	}

	@Test
	void isNoPageWhileAnElementIsOpen() {
		this.html.open("div").open("p").close();

		assertThatIllegalStateException().isThrownBy(this.html::toString).withMessageContaining("div");
	}

	@Test
	void itemsOfAListAreEscaped() {
		this.html.list(List.of("a", "<b>"), "class", "answers");

		assertThat(this.html).hasToString("<ul class=\"answers\"><li>a</li>\n<li>&lt;b&gt;</li>\n</ul>\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a</script>b", "a</SCRIPT >b", "a</script" })
	void codeDoesNotEndItsElement(String code) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.html.code("script", code))
			.withMessageContaining("<script>");
		assertThat(this.html.toString()).isEmpty();
	}

	@Test
	void dataOfAChartDoesNotEndItsScript() {
		this.html.chart(chart("</script><script>alert('a')</script>"));

		assertThat(this.html.toString()).containsOnlyOnce("<script")
			.containsOnlyOnce("</script>")
			.contains("\"title\":\"\\u003c/script>\\u003cscript>alert('a')\\u003c/script>\"")
			.contains("<figcaption>&lt;/script&gt;");
	}

	private static Chart chart(String title) {
		return new Chart.Stack(title, "described", 120, "ms", 1, List.of(), List.of());
	}

}
