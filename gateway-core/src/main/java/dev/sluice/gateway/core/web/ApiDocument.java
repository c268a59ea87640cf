package dev.sluice.gateway.core.web;

import java.io.IOException;

import dev.sluice.contract.Order;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves the API's OpenAPI 3.1 document, which is the contract's own bytes, and a page
 * that renders it for people.
 */
@RestController
final class ApiDocument {

	private final byte[] json;

	private final byte[] page;

	ApiDocument() throws IOException {
		this.json = new ClassPathResource("openapi.json", Order.class).getContentAsByteArray();
		this.page = new ClassPathResource("docs.html", ApiDocument.class).getContentAsByteArray();
	}

	@GetMapping(path = "/openapi.json", produces = MediaType.APPLICATION_JSON_VALUE)
	ResponseEntity<byte[]> document() {
		return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(this.json);
	}

	@GetMapping(path = "/docs", produces = MediaType.TEXT_HTML_VALUE)
	ResponseEntity<byte[]> page() {
		return ResponseEntity.ok().contentType(MediaType.TEXT_HTML).body(this.page);
	}

}
