package dev.sluice.gateway.core.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ApiDocumentTests {

	private final ApiDocument document = new ApiDocument();

	ApiDocumentTests() throws IOException {
	}

	@Test
	void isThatOfTheContract() {
		assertThat(this.document.document().getBody()).asString(StandardCharsets.UTF_8)
			.contains("\"openapi\"", "/orders");
	}

	@Test
	void hasAPageForPeople() {
		assertThat(this.document.page().getBody()).asString(StandardCharsets.UTF_8).contains("<html", "openapi.json");
	}

}
