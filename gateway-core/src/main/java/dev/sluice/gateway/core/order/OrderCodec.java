package dev.sluice.gateway.core.order;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import dev.sluice.contract.Money;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderItem;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.ProblemException.InvalidField;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import org.hibernate.validator.HibernateValidator;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.deser.std.FromStringDeserializer;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.LogicalType;

/**
 * Decodes a request body to a valid {@link Order} and encodes an order to its canonical
 * bytes. Nothing is guessed, coerced or ignored; the problem names the errors.
 */
@Component
public final class OrderCodec {

	/** An order is three levels deep, so anything deeper than this is not an order. */
	private static final int MAX_DEPTH = 16;

	/**
	 * More would not help a client, and a request of 64 KiB could demand an answer of
	 * megabytes.
	 */
	private static final int MAX_ERRORS = 20;

	private final JsonMapper mapper = strictMapper();

	private final ValidatorFactory validators = Validation.byProvider(HibernateValidator.class)
		.configure()
		// One language on every machine: the messages are part of the API.
		.defaultLocale(Locale.ENGLISH)
		.buildValidatorFactory();

	/**
	 * Decodes and encodes an order, so that mapper and validator inspect its types now.
	 * Otherwise the first orders would all wait for that.
	 */
	public OrderCodec() {
		Money price = new Money("1", Currency.getInstance("EUR"));
		decode(encode(new Order("c", List.of(new OrderItem("s", 1, price)), null)));
	}

	private static JsonMapper strictMapper() {
		JsonFactory factory = JsonFactory.builder()
			.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
			.streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
			.build();
		return JsonMapper.builder(factory)
			.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
					DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
			.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
			.disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
			.withCoercionConfig(LogicalType.Textual,
					(config) -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
						.setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
						.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
			.withCoercionConfig(LogicalType.OtherScalar,
					(config) -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
			.addModule(new SimpleModule().addDeserializer(Currency.class, new ExactCurrency()))
			.build();
	}

	/**
	 * Reads an order.
	 * @param body the request's body
	 * @return the order, which is valid
	 * @throws ProblemException if the body is not exactly one valid order
	 */
	public Order decode(byte[] body) {
		Order order = parse(text(body));
		Set<ConstraintViolation<Order>> violations = this.validators.getValidator().validate(order);
		if (!violations.isEmpty()) {
			throw invalid("The order breaks the rules listed in errors.", violations.stream()
				.map((violation) -> new InvalidField(violation.getPropertyPath().toString(), violation.getMessage()))
				.sorted(Comparator.comparing(InvalidField::field).thenComparing(InvalidField::message))
				.limit(MAX_ERRORS)
				.toList());
		}
		String note = order.note();
		// JSON can escape half a surrogate pair, which UTF-8 cannot encode.
		if (note != null && !StandardCharsets.UTF_8.newEncoder().canEncode(note)) {
			throw invalid("The order breaks the rules listed in errors.",
					List.of(new InvalidField("note", "must be well-formed Unicode")));
		}
		return order;
	}

	/**
	 * Encodes equal orders to the same bytes: compact, properties in a fixed order,
	 * UTF-8.
	 */
	public byte[] encode(Order order) {
		return this.mapper.writeValueAsBytes(order);
	}

	/** Jackson would also accept UTF-16 and UTF-32, and some ill-formed UTF-8. */
	private static String text(byte[] body) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
		}
		catch (CharacterCodingException ex) {
			throw invalid("The body is not well-formed UTF-8.", List.of());
		}
	}

	private Order parse(String json) {
		Order order;
		try {
			order = this.mapper.readValue(json, Order.class);
		}
		catch (JacksonException ex) {
			throw explained(ex);
		}
		if (order == null) {
			throw invalid("The body must be a JSON object.", List.of());
		}
		return order;
	}

	private static ProblemException explained(JacksonException ex) {
		Throwable cause = (ex.getCause() instanceof StreamReadException syntax) ? syntax : ex;
		if (cause instanceof StreamReadException && !(cause instanceof InputCoercionException)) {
			return notJson(ex);
		}
		String field = path(ex);
		if (field.isEmpty()) {
			return invalid("The body must be exactly one JSON object.", List.of());
		}
		String message = switch (cause) {
			case UnrecognizedPropertyException _ -> "is unknown";
			case InvalidFormatException _, InputCoercionException _ -> "has a value that is not allowed";
			case MismatchedInputException _ -> "has the wrong type";
			default -> "cannot be read";
		};
		return invalid("The order breaks the rules listed in errors.", List.of(new InvalidField(field, message)));
	}

	/** Says where, not what: Jackson's own messages name classes and quote the input. */
	private static ProblemException notJson(JacksonException ex) {
		return invalid("The body is not valid JSON near line %s, column %s: syntax error, repeated name or too deep."
			.formatted(ex.getLocation().getLineNr(), ex.getLocation().getColumnNr()), List.of());
	}

	private static String path(JacksonException ex) {
		StringBuilder path = new StringBuilder();
		for (JacksonException.Reference reference : ex.getPath()) {
			if (reference.getPropertyName() == null) {
				path.append('[').append(reference.getIndex()).append(']');
			}
			else {
				path.append(path.isEmpty() ? "" : ".").append(reference.getPropertyName());
			}
		}
		return path.toString();
	}

	private static ProblemException invalid(String detail, List<InvalidField> errors) {
		return new ProblemException(ProblemType.INVALID_ORDER, detail, errors);
	}

	/** Jackson's own deserializer ignores white space around the code. */
	private static final class ExactCurrency extends FromStringDeserializer<Currency> {

		ExactCurrency() {
			super(Currency.class);
		}

		@Override
		protected boolean _shouldTrim() {
			return false;
		}

		@Override
		protected Currency _deserialize(String code, DeserializationContext context) {
			return Currency.getInstance(code);
		}

	}

}
