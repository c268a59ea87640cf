package dev.sluice.gateway.core.order;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.ProblemException.InvalidField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class OrderCodecTests {

	private static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}],\
			"note":"n"}""";

	private final OrderCodec codec = new OrderCodec();

	@Test
	void readsAnOrder() {
		Order order = decode(ORDER);

		assertThat(order.customerId()).isEqualTo("c-1");
		assertThat(order.note()).isEqualTo("n");
		assertThat(order.items()).singleElement().satisfies((item) -> {
			assertThat(item.sku()).isEqualTo("tea");
			assertThat(item.quantity()).isEqualTo(2);
			assertThat(item.unitPrice().amount()).isEqualTo("9.90");
			assertThat(item.unitPrice().currency()).hasToString("EUR");
		});
	}

	@Test
	void writesTheSameBytesHoweverItWasSent() {
		String shuffled = """
				{ "note" : "\\u006e", "items":[ {"unitPrice":{"currency":"EUR","amount":"9.90"}, "quantity":2,
				"sku":"tea"} ], "customerId":"c-1" }
				""";

		assertThat(this.codec.encode(decode(shuffled))).asString(StandardCharsets.UTF_8).isEqualTo(ORDER);
		assertThat(this.codec.encode(decode(ORDER))).asString(StandardCharsets.UTF_8).isEqualTo(ORDER);
	}

	@Test
	void readsAnOrderWithoutNote() {
		assertThat(decode(ORDER.replace(",\"note\":\"n\"", "")).note()).isNull();
		assertThat(decode(ORDER.replace("\"n\"", "null")).note()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "{", "}", "null", "1", "\"x\"", "[]", "tea", "{\"customerId\"}", "{'a':1}",
			"{\"customerId\":NaN}", "// no\n{}", "\ufeff" })
	void refusesWhatIsNoObject(String body) {
		ProblemException problem = refusal(body.getBytes(StandardCharsets.UTF_8));

		assertThat(problem.errors()).isEmpty();
	}

	@Test
	void refusesWhatFollowsTheOrder() {
		assertThat(refusal(ORDER + "{}").errors()).isEmpty();
		assertThat(refusal(ORDER + "x").errors()).isEmpty();
		assertThat(refusal(ORDER + "\0").errors()).isEmpty();
	}

	@Test
	void refusesNamesThatAreThereTwice() {
		assertThat(refusal(ORDER.replace("{\"customerId", "{\"note\":\"m\",\"customerId")).errors()).isEmpty();
	}

	@Test
	void refusesDeepNesting() {
		assertThat(refusal("[".repeat(Order.MAX_BYTES))).isNotNull();
		assertThat(refusal("{\"customerId\":".repeat(4_000))).isNotNull();
		assertThat(refusal(ORDER.replace("\"n\"", "[".repeat(60_000)))).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTF-16", "UTF-16LE", "UTF-32" })
	void refusesOtherEncodings(String charset) {
		assertThat(refusal(ORDER.getBytes(Charset.forName(charset))).errors()).isEmpty();
	}

	static Stream<byte[]> illFormed() {
		// A lone continuation byte, an overlong slash, a surrogate, a code point beyond
		// Unicode, a truncated one.
		return Stream.of(new byte[] { (byte) 0x80 }, new byte[] { (byte) 0xc0, (byte) 0xaf },
				new byte[] { (byte) 0xed, (byte) 0xa0, (byte) 0x80 },
				new byte[] { (byte) 0xf5, (byte) 0x80, (byte) 0x80, (byte) 0x80 },
				new byte[] { (byte) 0xe2, (byte) 0x82 });
	}

	@ParameterizedTest
	@MethodSource("illFormed")
	void refusesIllFormedUtf8(byte[] bytes) {
		String[] around = ORDER.split("n\"}", 2);
		byte[] before = around[0].getBytes(StandardCharsets.UTF_8);
		byte[] after = "\"}".getBytes(StandardCharsets.UTF_8);
		byte[] body = new byte[before.length + bytes.length + after.length];
		System.arraycopy(before, 0, body, 0, before.length);
		System.arraycopy(bytes, 0, body, before.length, bytes.length);
		System.arraycopy(after, 0, body, before.length + bytes.length, after.length);

		assertThat(refusal(body).errors()).isEmpty();
	}

	static Stream<Arguments> badFields() {
		return Stream.of(bad("\"c-1\"", "1", "customerId"), bad("\"c-1\"", "1.5", "customerId"),
				bad("\"c-1\"", "true", "customerId"), bad("\"c-1\"", "null", "customerId"),
				bad("\"c-1\"", "\"\"", "customerId"), bad("\"c-1\"", "\"c 1\"", "customerId"),
				bad("\"c-1\"", "\"" + "c".repeat(65) + "\"", "customerId"), bad("\"c-1\"", "[\"c-1\"]", "customerId"),
				bad("\"c-1\"", "{}", "customerId"), bad("\"customerId\":\"c-1\",", "", "customerId"),
				bad("\"note\"", "\"Note\"", "Note"), bad("\"n\"", "1", "note"), bad("\"n\"", "false", "note"),
				bad("\"n\"", "\"" + "n".repeat(501) + "\"", "note"), bad("\"n\"", "\"\\ud800\"", "note"),
				bad("2,", "\"2\",", "items[0].quantity"), bad("2,", "2.0,", "items[0].quantity"),
				bad("2,", "2e0,", "items[0].quantity"), bad("2,", "null,", "items[0].quantity"),
				bad("2,", "true,", "items[0].quantity"), bad("2,", "\"\",", "items[0].quantity"),
				bad("2,", "4294967298,", "items[0].quantity"), bad("2,", "0,", "items[0].quantity"),
				bad("2,", "-1,", "items[0].quantity"), bad("2,", "10001,", "items[0].quantity"),
				bad("\"quantity\":2,", "", "items[0].quantity"), bad("\"tea\"", "\"\"", "items[0].sku"),
				bad("\"tea\"", "7", "items[0].sku"), bad("\"sku\":\"tea\"", "\"sku\":\"tea\",\"x\":1", "items[0].x"),
				bad("\"9.90\"", "9.90", "items[0].unitPrice.amount"),
				bad("\"9.90\"", "\"-1\"", "items[0].unitPrice.amount"),
				bad("\"9.90\"", "\"1e3\"", "items[0].unitPrice.amount"),
				bad("\"9.90\"", "\"01\"", "items[0].unitPrice.amount"),
				bad("\"EUR\"", "\"EURO\"", "items[0].unitPrice.currency"),
				bad("\"EUR\"", "\"eur\"", "items[0].unitPrice.currency"),
				bad("\"EUR\"", "\"EUR \"", "items[0].unitPrice.currency"),
				bad("\"EUR\"", "\"\\tEUR\"", "items[0].unitPrice.currency"),
				bad("\"EUR\"", "\"\"", "items[0].unitPrice.currency"),
				bad("\"EUR\"", "978", "items[0].unitPrice.currency"),
				bad("\"EUR\"", "null", "items[0].unitPrice.currency"),
				bad("{\"amount\":\"9.90\",\"currency\":\"EUR\"}", "\"9.90 EUR\"", "items[0].unitPrice"));
	}

	private static Arguments bad(String target, String replacement, String field) {
		assertThat(ORDER).contains(target);
		return Arguments.of(ORDER.replace(target, replacement), field);
	}

	@ParameterizedTest
	@MethodSource("badFields")
	void namesTheFieldThatIsWrong(String body, String field) {
		ProblemException problem = refusal(body);

		assertThat(problem.errors()).extracting(InvalidField::field).containsExactly(field);
		assertThat(problem.errors()).extracting(InvalidField::message).allSatisfy((message) -> {
			assertThat(message).isNotBlank();
			assertThat(message).doesNotContain("java", "sluice", "{", "Exception");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "null", "[]", "{}", "\"\"", "\"x\"", "[null]", "[1]" })
	void refusesItemsThatAreNone(String items) {
		String body = "{\"customerId\":\"c-1\",\"items\":%s}".formatted(items);

		assertThat(refusal(body).errors()).singleElement()
			.extracting(InvalidField::field)
			.asString()
			.startsWith("items");
	}

	@Test
	void takesUpTo100Items() {
		String item = "{\"sku\":\"s\",\"quantity\":1,\"unitPrice\":{\"amount\":\"1\",\"currency\":\"EUR\"}}";

		assertThat(decode("{\"customerId\":\"c\",\"items\":[%s]}".formatted(item + ("," + item).repeat(99))).items())
			.hasSize(100);
		assertThat(refusal("{\"customerId\":\"c\",\"items\":[%s]}".formatted(item + ("," + item).repeat(100))).errors())
			.containsExactly(new InvalidField("items", "size must be between 1 and 100"));
	}

	@Test
	void boundsTheListOfErrors() {
		String item = "{\"sku\":\"\",\"quantity\":0,\"unitPrice\":{\"amount\":\"x\",\"currency\":\"EUR\"}}";

		assertThat(refusal("{\"customerId\":\"c\",\"items\":[%s]}".formatted(item + ("," + item).repeat(99))).errors())
			.hasSize(20);
	}

	@Test
	void listsWhatIsMissing() {
		assertThat(refusal("{}").errors()).isEqualTo(List.of(new InvalidField("customerId", "must not be null"),
				new InvalidField("items", "must not be null")));
	}

	private Order decode(String body) {
		return this.codec.decode(body.getBytes(StandardCharsets.UTF_8));
	}

	private ProblemException refusal(String body) {
		return refusal(body.getBytes(StandardCharsets.UTF_8));
	}

	private ProblemException refusal(byte[] body) {
		ProblemException problem = catchThrowableOfType(ProblemException.class, () -> this.codec.decode(body));
		assertThat(problem).isNotNull();
		assertThat(problem.type()).isEqualTo(ProblemType.INVALID_ORDER);
		assertThat(problem.getMessage()).doesNotContain("java", "Exception");
		return problem;
	}

}
