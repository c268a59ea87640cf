package dev.sluice.contract;

import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.contract.DescribedApi.Exchange;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import static dev.sluice.contract.RunningGateway.ORDER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DescribedApiTests {

	private static final String ID = "019ab000-0000-7000-8000-000000000001";

	private static final String ACCEPTED = "{\"id\":\"%s\",\"status\":\"accepted\",\"attempts\":0}".formatted(ID);

	private static final String OVERLOADED = """
			{"type":"urn:sluice:problem:overloaded","title":"The gateway is at its limit","status":503,
			"detail":"Too many.","instance":"/orders","placed":"no"}""";

	private static final Map<String, String> ACCEPTED_HEADERS = Map.of("Content-Type", "application/json", "Location",
			"/orders/" + ID, "Retry-After", "1", "Preference-Applied", "respond-async");

	private static final Map<String, String> PROBLEM_HEADERS = Map.of("Content-Type", "application/problem+json",
			"Retry-After", "1");

	private final DescribedApi api = DescribedApi.instance();

	static Stream<Class<?>> wireTypes() {
		return Stream.of(Order.class, OrderItem.class, Money.class, OrderView.class, OrderPage.class);
	}

	@ParameterizedTest
	@MethodSource("wireTypes")
	void describesEachFieldAndNoOther(Class<?> type) {
		assertThat(schema(type).get("properties").propertyNames()).containsExactlyElementsOf(
				Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList());
	}

	@ParameterizedTest
	@ValueSource(classes = { Order.class, OrderItem.class, Money.class })
	void statesTheLimitsThatAreValidated(Class<?> type) throws ReflectiveOperationException {
		for (RecordComponent component : type.getRecordComponents()) {
			JsonNode field = schema(type).at("/properties/" + component.getName());
			var constraints = type.getDeclaredField(component.getName());

			if (constraints.getAnnotation(Pattern.class) instanceof Pattern pattern) {
				assertThat(field.get("pattern").asString()).isEqualTo("^" + pattern.regexp() + "$");
			}
			if (constraints.getAnnotation(Size.class) instanceof Size size) {
				String unit = (component.getType() == String.class) ? "Length" : "Items";
				assertThat(field.path("min" + unit).asInt(0)).isEqualTo(size.min());
				assertThat(field.get("max" + unit).asInt()).isEqualTo(size.max());
			}
			if (constraints.getAnnotation(Min.class) instanceof Min min) {
				assertThat(field.get("minimum").asLong()).isEqualTo(min.value());
			}
			if (constraints.getAnnotation(Max.class) instanceof Max max) {
				assertThat(field.get("maximum").asLong()).isEqualTo(max.value());
			}
			boolean required = constraints.isAnnotationPresent(NotNull.class) || component.getType().isPrimitive();
			assertThat(schema(type).get("required")
				.values()
				.stream()
				.map(JsonNode::asString)
				.toList()
				.contains(component.getName())).isEqualTo(required);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OrderStatus.class, Placed.class })
	void namesEachValue(Class<?> type) throws ReflectiveOperationException {
		for (Object constant : type.getEnumConstants()) {
			JsonProperty name = type.getField(constant.toString()).getAnnotation(JsonProperty.class);
			assertThat(schema(type).get("enum").values().stream().map(JsonNode::asString)).contains(name.value());
		}
		assertThat(schema(type).get("enum").size()).isEqualTo(type.getEnumConstants().length);
	}

	@ParameterizedTest
	@EnumSource
	void describesEachProblemAndWhereItOccurs(ProblemType type) {
		List<String> schemas = DescribedApi.instance()
			.at("/components/schemas")
			.propertyStream()
			.filter((schema) -> type.type()
				.toString()
				.equals(schema.getValue().at("/properties/type/const").asString("")))
			.map(Map.Entry::getKey)
			.toList();

		assertThat(schemas).hasSize(1);
		JsonNode schema = this.api.at("/components/schemas/" + schemas.getFirst());
		assertThat(schema.at("/properties/status/const").asInt()).isEqualTo(type.status());
		assertThat(schema.at("/properties/title/const").asString()).isEqualTo(type.title());
		String reference = "{\"$ref\":\"#/components/schemas/%s\"}".formatted(schemas.getFirst());
		assertThat(answers()).filteredOn((answer) -> answer.toString().contains(reference)).isNotEmpty();
	}

	@Test
	void hasExamplesThatItDescribes() {
		List<String> examples = examples("", this.api.at("")).toList();

		assertThat(examples).hasSizeGreaterThan(8)
			.allSatisfy((pointer) -> assertThat(DescribedApi.instance()
				.errors(pointer.substring(0, pointer.lastIndexOf("/example")) + "/schema",
						this.api.at(pointer).toString()))
				.isEmpty());
	}

	@Test
	void takesWhatItDescribesAndRefusesEverythingElse() {
		this.api.check(exchange("POST", "/orders", "\"k\"", ORDER, 202, ACCEPTED_HEADERS, ACCEPTED));
		this.api.check(exchange("POST", "/orders", "\"k\"", ORDER, 503, PROBLEM_HEADERS, OVERLOADED));
		assertRefused(exchange("POST", "/orders", "\"k\"", ORDER.replace("2,", "0,"), 202, ACCEPTED_HEADERS, ACCEPTED));
		assertRefused(exchange("POST", "/orders", "k", ORDER, 202, ACCEPTED_HEADERS, ACCEPTED));
		assertRefused(exchange("POST", "/orders", "\"k\"", ORDER, 418, PROBLEM_HEADERS, OVERLOADED));
		assertRefused(exchange("POST", "/orders", "\"k\"", ORDER, 202, ACCEPTED_HEADERS,
				ACCEPTED.replace("}", ",\"more\":1}")));
		assertRefused(exchange("POST", "/orders", "\"k\"", ORDER, 202, with(ACCEPTED_HEADERS, "Retry-After", "soon"),
				ACCEPTED));
		assertRefused(exchange("POST", "/orders", "\"k\"", ORDER, 503,
				Map.of("Content-Type", "application/problem+json"), OVERLOADED));
		assertRefused(exchange("POST", "/orders", "\"k\"", ORDER, 503,
				with(PROBLEM_HEADERS, "Content-Type", "text/html"), OVERLOADED));
		assertRefused(exchange("POST", "/orders", "\"k\"", ORDER, 503, PROBLEM_HEADERS,
				OVERLOADED.replace(",\"placed\":\"no\"", "")));
		assertRefused(exchange("GET", "/nothing", "", "", 200, ACCEPTED_HEADERS, ACCEPTED));
		assertRefused(exchange("PUT", "/orders", "", "", 200, ACCEPTED_HEADERS, ACCEPTED));
	}

	private void assertRefused(Exchange exchange) {
		assertThatExceptionOfType(AssertionError.class).as(exchange.toString())
			.isThrownBy(() -> this.api.check(exchange));
	}

	private static Exchange exchange(String method, String uri, String key, String body, int status,
			Map<String, String> headers, String answer) {
		return new Exchange(method, URI.create(uri), headers(key.isEmpty() ? Map.of() : Map.of("Idempotency-Key", key)),
				body, status, headers(headers), answer);
	}

	private static Map<String, String> with(Map<String, String> headers, String name, String value) {
		Map<String, String> more = new TreeMap<>(headers);
		more.put(name, value);
		return more;
	}

	private static HttpHeaders headers(Map<String, String> headers) {
		Map<String, List<String>> lists = new TreeMap<>();
		headers.forEach((name, value) -> lists.put(name, List.of(value)));
		return HttpHeaders.of(lists, (_, _) -> true);
	}

	private JsonNode schema(Class<?> type) {
		return this.api.at("/components/schemas/" + type.getSimpleName());
	}

	/** The answers of all operations, and the shared ones. */
	private List<JsonNode> answers() {
		Stream<JsonNode> described = DescribedApi.operations()
			.stream()
			.map((operation) -> operation.split(" "))
			.flatMap((operation) -> this.api
				.at("/paths/" + operation[1].replace("/", "~1") + "/" + operation[0].toLowerCase() + "/responses")
				.values()
				.stream());
		return Stream.concat(described, this.api.at("/components/responses").values().stream()).toList();
	}

	/** Pointers to the examples. */
	private static Stream<String> examples(String pointer, JsonNode node) {
		return node.propertyStream().flatMap((property) -> {
			String inner = pointer + "/" + property.getKey().replace("~", "~0").replace("/", "~1");
			if (property.getKey().equals("example")) {
				return Stream.of(inner);
			}
			if (property.getKey().equals("examples")) {
				return property.getValue().propertyNames().stream().map((name) -> inner + "/" + name + "/value");
			}
			return examples(inner, property.getValue());
		});
	}

	@Test
	void eachProblemHasAnExampleThatFits() {
		List<String> problems = DescribedApi.instance()
			.at("/components/schemas")
			.propertyNames()
			.stream()
			.filter((name) -> name.startsWith("Problem") && !name.equals("Problem"))
			.toList();

		assertThat(problems).isNotEmpty().allSatisfy((name) -> {
			String schema = "/components/schemas/" + name;
			assertThat(this.api.at(schema + "/examples")).isNotEmpty()
				.allSatisfy((example) -> assertThat(this.api.errors(schema, example.toString())).isEmpty());
		});
	}

}
