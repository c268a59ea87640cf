package dev.sluice.lab.proof.requests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.sluice.contract.Order;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes orders from the gateways' OpenAPI document: valid ones, and ones that break one
 * rule. Knows only the keywords that the order's schemas use. Thread-safe.
 */
final class DescribedOrders {

	private static final String ORDER = "/components/schemas/Order";

	/**
	 * Candidates for strings: those that match a pattern are valid for it, the others are
	 * not.
	 */
	private static final List<String> STRINGS = Stream
		.of("EUR", "USD", "JPY", "a", "A-1", "customer-7", "x".repeat(64), "x".repeat(65), "0", "0.01", "19.99", "-1",
				"1.", ".5", "01", "999999999999.9999", "1e3", "1.00001", "", " ", "ä", "a b", "eur", "EURO", "a\n",
				"\u0000", "٣")
		.toList();

	/** Larger arrays would make the corpus slow and find nothing more. */
	private static final int FEW = 3;

	private final JsonNodeFactory nodes = JsonNodeFactory.instance;

	private final JsonNode document;

	private DescribedOrders(JsonNode document) {
		this.document = document;
	}

	static DescribedOrders read() {
		try (InputStream stream = Objects.requireNonNull(Order.class.getResourceAsStream("openapi.json"))) {
			return new DescribedOrders(JsonMapper.shared().readTree(stream));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The OpenAPI document cannot be read", ex);
		}
	}

	/** An order that must be accepted. */
	String good(Random random) {
		return value(this.document.at(ORDER), random).toString();
	}

	/** An order that must be refused, valid except for one rule. */
	String broken(Random random) {
		JsonNode schema = this.document.at(ORDER);
		return broken(value(schema, random), schema, random).toString();
	}

	private JsonNode resolved(JsonNode schema) {
		return schema.has("$ref") ? this.document.at(schema.get("$ref").asString().substring(1)) : schema;
	}

	private static String type(JsonNode schema) {
		JsonNode type = schema.get("type");
		return type.isArray() ? type.get(0).asString() : type.asString();
	}

	private JsonNode value(JsonNode reference, Random random) {
		JsonNode schema = resolved(reference);
		return switch (type(schema)) {
			case "object" -> object(schema, random);
			case "array" -> array(schema, random);
			case "integer" -> this.nodes.numberNode(integer(schema, random));
			case "string" -> this.nodes.stringNode(string(schema, random));
			default -> throw new IllegalStateException("The schema has a type that is not known here: " + schema);
		};
	}

	private ObjectNode object(JsonNode schema, Random random) {
		ObjectNode object = this.nodes.objectNode();
		schema.get("properties").propertyStream().forEach((property) -> {
			if (isRequired(schema, property.getKey()) || random.nextBoolean()) {
				object.set(property.getKey(), value(property.getValue(), random));
			}
		});
		return object;
	}

	private static boolean isRequired(JsonNode schema, String name) {
		return schema.get("required").valueStream().anyMatch((required) -> required.asString().equals(name));
	}

	private ArrayNode array(JsonNode schema, Random random) {
		int least = schema.get("minItems").intValue();
		return array(schema, least + random.nextInt(FEW), random);
	}

	private ArrayNode array(JsonNode schema, int size, Random random) {
		ArrayNode array = this.nodes.arrayNode();
		for (int i = 0; i < size; i++) {
			array.add(value(schema.get("items"), random));
		}
		return array;
	}

	private static int integer(JsonNode schema, Random random) {
		int least = schema.get("minimum").intValue();
		int greatest = schema.get("maximum").intValue();
		return switch (random.nextInt(4)) {
			case 0 -> least;
			case 1 -> greatest;
			default -> random.nextInt(least, greatest + 1);
		};
	}

	private static String string(JsonNode schema, Random random) {
		if (schema.has("pattern")) {
			return pick(schema, true, random);
		}
		return "é".repeat(random.nextInt(schema.get("maxLength").intValue() + 1));
	}

	private static String pick(JsonNode schema, boolean good, Random random) {
		Pattern pattern = Pattern.compile(schema.get("pattern").asString());
		List<String> fitting = STRINGS.stream().filter((text) -> good == (pattern.matcher(text).matches())).toList();
		return fitting.get(random.nextInt(fitting.size()));
	}

	private JsonNode broken(JsonNode good, JsonNode reference, Random random) {
		JsonNode schema = resolved(reference);
		if (random.nextInt(8) == 0) {
			return this.nodes.booleanNode(random.nextBoolean());
		}
		return switch (type(schema)) {
			case "object" -> brokenObject((ObjectNode) good, schema, random);
			case "array" -> brokenArray((ArrayNode) good, schema, random);
			case "integer" -> brokenInteger(schema, random);
			case "string" -> this.nodes.stringNode(schema.has("pattern") ? pick(schema, false, random)
					: "x".repeat(schema.get("maxLength").intValue() + 1));
			default -> throw new IllegalStateException("The schema has a type that is not known here: " + schema);
		};
	}

	private JsonNode brokenObject(ObjectNode good, JsonNode schema, Random random) {
		switch (random.nextInt(4)) {
			case 0 -> good.put("unknown", 1);
			case 1 -> {
				JsonNode required = schema.get("required");
				good.remove(required.get(random.nextInt(required.size())).asString());
			}
			default -> {
				List<String> names = List.copyOf(good.propertyNames());
				String name = names.get(random.nextInt(names.size()));
				good.set(name, broken(good.get(name), schema.get("properties").get(name), random));
			}
		}
		return good;
	}

	private JsonNode brokenArray(ArrayNode good, JsonNode schema, Random random) {
		switch (random.nextInt(4)) {
			case 0 -> {
				return array(schema, schema.get("minItems").intValue() - 1, random);
			}
			case 1 -> {
				return array(schema, schema.get("maxItems").intValue() + 1, random);
			}
			default -> {
				int index = random.nextInt(good.size());
				good.set(index, broken(good.get(index), schema.get("items"), random));
				return good;
			}
		}
	}

	private JsonNode brokenInteger(JsonNode schema, Random random) {
		return switch (random.nextInt(4)) {
			case 0 -> this.nodes.numberNode(schema.get("minimum").intValue() - 1);
			case 1 -> this.nodes.numberNode(schema.get("maximum").intValue() + 1);
			case 2 -> this.nodes.numberNode(schema.get("minimum").intValue() + 0.5);
			default -> this.nodes.stringNode(Integer.toString(schema.get("minimum").intValue()));
		};
	}

}
