package dev.sluice.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Flow;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * The OpenAPI document of the gateways. It checks whether the document describes an
 * exchange: the status of the operation, the answer's headers, media type and body, and
 * the request if it was answered 2xx. Thread-safe.
 */
public final class DescribedApi {

	private static final String IRI = "urn:sluice:openapi";

	private static final List<String> OUR_HEADERS = List.of("Location", "Retry-After", "Preference-Applied", "Allow");

	private static final DescribedApi INSTANCE = new DescribedApi();

	private final byte[] bytes;

	private final JsonNode document;

	private final SchemaRegistry schemas;

	private DescribedApi() {
		try (InputStream stream = Order.class.getResourceAsStream("openapi.json")) {
			this.bytes = stream.readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.document = JsonMapper.shared().readTree(this.bytes);
		this.schemas = SchemaRegistry.withDialect(Dialects.getOpenApi31(),
				(registry) -> registry.schemas(Map.of(IRI, new String(this.bytes, StandardCharsets.UTF_8))));
	}

	static DescribedApi instance() {
		return INSTANCE;
	}

	byte[] bytes() {
		return this.bytes.clone();
	}

	/** The operations: method and path. */
	public static List<String> operations() {
		return INSTANCE.document.get("paths")
			.propertyStream()
			.flatMap((path) -> path.getValue()
				.propertyStream()
				.filter((operation) -> operation.getValue().has("responses"))
				.map((operation) -> operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey()))
			.toList();
	}

	/** The node at a place in the document, with references resolved. */
	JsonNode at(String pointer) {
		JsonNode node = this.document.at(pointer);
		return node.has("$ref") ? at(node.get("$ref").asString().substring(1)) : node;
	}

	/** The errors of some JSON against the schema at a place in the document. */
	List<Error> errors(String schemaPointer, String json) {
		assertThat(at(schemaPointer).isObject()).as("There is no schema at " + schemaPointer).isTrue();
		return this.schemas.getSchema(SchemaLocation.of(IRI + "#" + schemaPointer))
			.validate(json, InputFormat.JSON,
					(context) -> context.executionConfig((config) -> config.formatAssertionsEnabled(true)));
	}

	/**
	 * Checks an exchange between a client and a gateway, except with its management port.
	 */
	<T extends HttpResponse<String>> T checked(HttpRequest request, T response) {
		if (!request.uri().getPath().startsWith("/actuator/") || response.statusCode() == 404) {
			check(new Exchange(request.method(), request.uri(), request.headers(), body(request), response.statusCode(),
					response.headers(), response.body()));
		}
		return response;
	}

	void check(Exchange exchange) {
		Optional<String> path = path(exchange.uri().getPath());
		String pointer = path
			.map((found) -> "/paths/" + escaped(found) + "/" + exchange.method().toLowerCase(Locale.ROOT))
			.filter((found) -> this.document.at(found).isObject())
			.orElse("");
		if (path.isEmpty()) {
			assertThat(exchange.status()).as(exchange.toString()).isEqualTo(404);
			checkAnswer(exchange, "/components/responses/NotFound");
		}
		else if (pointer.isEmpty()) {
			assertThat(exchange.status()).as(exchange.toString()).isEqualTo(405);
			checkAnswer(exchange, "/components/responses/MethodNotAllowed");
		}
		else {
			if (exchange.status() / 100 == 2) {
				checkRequest(exchange, path.get(), pointer);
			}
			checkAnswer(exchange, pointer + "/responses/" + exchange.status());
		}
	}

	private void checkAnswer(Exchange exchange, String pointer) {
		JsonNode answer = at(pointer);
		if (!answer.isObject()) {
			fail("Its status is not described: " + exchange);
		}
		for (String name : OUR_HEADERS) {
			JsonNode header = at(pointer + "/headers/" + name);
			Optional<String> value = exchange.responseHeaders().firstValue(name);
			if (value.isPresent() || header.path("required").asBoolean(false)) {
				assertThat(header.isObject()).as("%s is not described: %s", name, exchange).isTrue();
				assertThat(value).as("%s is missing: %s", name, exchange).isPresent();
				checkText(pointer(pointer + "/headers/" + name) + "/schema", value.get(), name + " of " + exchange);
			}
		}
		String mediaType = exchange.responseHeaders().firstValue("Content-Type").orElse("").split(";")[0];
		assertThat(answer.get("content").propertyNames()).as(exchange.toString()).contains(mediaType);
		String json = mediaType.endsWith("json") ? exchange.responseBody()
				: StringNode.valueOf(exchange.responseBody()).toString();
		assertThat(errors(pointer(pointer) + "/content/" + escaped(mediaType) + "/schema", json))
			.as(exchange.toString())
			.isEmpty();
	}

	private void checkRequest(Exchange exchange, String path, String pointer) {
		if (at(pointer).has("requestBody")) {
			assertThat(errors(pointer + "/requestBody/content/application~1json/schema", exchange.requestBody()))
				.as(exchange.toString())
				.isEmpty();
		}
		checkParameters(exchange, path, pointer + "/parameters");
		checkParameters(exchange, path, "/paths/" + escaped(path) + "/parameters");
	}

	private void checkParameters(Exchange exchange, String path, String pointer) {
		for (int i = 0; i < this.document.at(pointer).size(); i++) {
			JsonNode parameter = at(pointer + "/" + i);
			String name = parameter.get("name").asString();
			Optional<String> value = switch (parameter.get("in").asString()) {
				case "header" -> exchange.requestHeaders().firstValue(name);
				case "query" -> query(exchange.uri(), name);
				case "path" -> Optional.of(segment(exchange.uri(), path, name));
				case String other -> throw new IllegalStateException(other);
			};
			assertThat(value.isPresent() || !parameter.path("required").asBoolean(false))
				.as("%s is missing: %s", name, exchange)
				.isTrue();
			String schema = pointer(pointer + "/" + i) + "/schema";
			value.ifPresent((text) -> checkText(schema, text, name + " of " + exchange));
		}
	}

	private void checkText(String schemaPointer, String text, String what) {
		boolean number = "integer".equals(at(schemaPointer).path("type").asString("")) && text.matches("[0-9]+");
		assertThat(errors(schemaPointer, number ? text : StringNode.valueOf(text).toString())).as(what).isEmpty();
	}

	/** The pointer, with references at its place resolved. */
	private String pointer(String pointer) {
		JsonNode node = this.document.at(pointer);
		return node.has("$ref") ? pointer(node.get("$ref").asString().substring(1)) : pointer;
	}

	private Optional<String> path(String path) {
		return this.document.get("paths")
			.propertyNames()
			.stream()
			.filter((template) -> path.matches(template.replaceAll("\\{\\w+}", "[^/]+")))
			.findFirst();
	}

	private static Optional<String> query(URI uri, String name) {
		String query = Optional.ofNullable(uri.getQuery()).orElse("");
		return List.of(query.split("&"))
			.stream()
			.filter((parameter) -> parameter.startsWith(name + "="))
			.map((parameter) -> parameter.substring(name.length() + 1))
			.findFirst();
	}

	private static String segment(URI uri, String template, String name) {
		int index = List.of(template.split("/")).indexOf("{" + name + "}");
		return uri.getPath().split("/")[index];
	}

	private static String escaped(String name) {
		return name.replace("~", "~0").replace("/", "~1");
	}

	private static String body(HttpRequest request) {
		if (request.bodyPublisher().isEmpty()) {
			return "";
		}
		BodySubscriber<String> subscriber = BodySubscribers.ofString(StandardCharsets.UTF_8);
		request.bodyPublisher().get().subscribe(new Flow.Subscriber<>() {

			@Override
			public void onSubscribe(Flow.Subscription subscription) {
				subscriber.onSubscribe(subscription);
			}

			@Override
			public void onNext(ByteBuffer item) {
				subscriber.onNext(List.of(item));
			}

			@Override
			public void onError(Throwable failure) {
				subscriber.onError(failure);
			}

			@Override
			public void onComplete() {
				subscriber.onComplete();
			}

		});
		return subscriber.getBody().toCompletableFuture().join();
	}

	/** A request and its answer. */
	record Exchange(String method, URI uri, HttpHeaders requestHeaders, String requestBody, int status,
			HttpHeaders responseHeaders, String responseBody) {

		@Override
		public String toString() {
			return "%s %s %s -> %s %s %s".formatted(this.method, this.uri, this.requestHeaders.map(), this.status,
					this.responseHeaders.map(), this.responseBody);
		}

	}

}
