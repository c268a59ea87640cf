package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.contract.OrderHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class RecordReaderTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

	private final RecordReader reader = new RecordReader();

	@Test
	void readsAnOrderAndLeavesItsBytesAlone() {
		var record = order().header(OrderHeaders.TRACEPARENT, TRACEPARENT).at(0);

		QueuedOrder order = this.reader.read(record);

		assertThat(order.id()).isEqualTo(ID);
		assertThat(order.customerId()).isEqualTo("c-1");
		assertThat(order.acceptedAt()).isEqualTo(Instant.parse(Records.TIME));
		assertThat(order.traceparent()).isEqualTo(TRACEPARENT);
		assertThat(order.body()).isSameAs(record.value());
	}

	@Test
	void readsWhatIsNoOrderOfThisVersionButJson() {
		assertThat(this.reader.read(order().value("{\"new\":[{}]}").at(0)).id()).isEqualTo(ID);
	}

	@ParameterizedTest
	@MethodSource
	void refuses(String reason, Records record) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.reader.read(record.at(0)))
			.withMessageContaining(reason);
	}

	static Stream<Arguments> refuses() {
		return Stream.of(arguments("ce_id is missing", order().header(OrderHeaders.ID, null)),
				arguments("UUID", order().header(OrderHeaders.ID, "42")),
				arguments("ce_id is not a UUID: 1-1-1-1-1", order().header(OrderHeaders.ID, "1-1-1-1-1")),
				arguments("ce_time is missing", order().header(OrderHeaders.TIME, null)),
				arguments("ce_time is not a time: yesterday", order().header(OrderHeaders.TIME, "yesterday")),
				arguments("ce_type is unknown", order().header(OrderHeaders.TYPE, "dev.sluice.order.accepted.v2")),
				arguments("the key", order().key(null)), arguments("the key", order().key("")),
				arguments("the key", order().key("c".repeat(65))),
				arguments("the value is missing", order().value((String) null)),
				arguments("the value is too large: 1048577 bytes", order().value(" ".repeat(1024 * 1024 - 1) + "{}")),
				arguments("the value is missing", order().value("")), arguments("not JSON", order().value("{\"a\":")),
				arguments("not JSON", order().value("hello")), arguments("not JSON", order().value("{'a':1}")),
				arguments("not well-formed UTF-8",
						order().value(new byte[] { '{', '"', (byte) 0xc3, '"', ':', '1', '}' })),
				arguments("not well-formed UTF-8", order().value("{}".getBytes(StandardCharsets.UTF_16))),
				arguments("not JSON", order().value("{}".getBytes(StandardCharsets.UTF_16BE))),
				arguments("not JSON", order().value("{\"a\":".repeat(2_000))),
				arguments("not JSON", order().value("{\"a\":" + "9".repeat(50_000) + "e999999999}")),
				arguments("not a JSON object", order().value("[]")),
				arguments("not a JSON object", order().value("null")), arguments("continues", order().value("{} {}")));
	}

	@ParameterizedTest
	@MethodSource
	void leavesOutATraceContextThatIsNone(String traceparent) {
		assertThat(this.reader.read(order().header(OrderHeaders.TRACEPARENT, traceparent).at(0)).traceparent())
			.isNull();
	}

	static Stream<String> leavesOutATraceContextThatIsNone() {
		return Stream.of("", "00-xyz", TRACEPARENT + "\r\nX-Evil: 1", TRACEPARENT + "\n");
	}

	private static Records order() {
		return Records.order(ID);
	}

}
