package dev.sluice.lab.proof.requests;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.contract.Order;
import dev.sluice.lab.proof.requests.BadRequests.Kind;
import dev.sluice.lab.proof.requests.BadRequests.Request;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class BadRequestsTests {

	private static final int MANY = 5_000;

	private final BadRequests corpus = new BadRequests(7, "127.0.0.1:1");

	@Test
	void makesTheSameRequestsAgain() {
		BadRequests again = new BadRequests(7, "127.0.0.1:1");
		BadRequests other = new BadRequests(8, "127.0.0.1:1");

		for (int number = 0; number < 200; number++) {
			assertThat(again.request(number).bytes()).isEqualTo(this.corpus.request(number).bytes());
		}
		assertThat(IntStream.range(0, 200)
			.filter((number) -> !Arrays.equals(other.request(number).bytes(), this.corpus.request(number).bytes())))
			.hasSizeGreaterThan(190);
	}

	@Test
	void givesNoKeyToTwoGateways() {
		assertThat(keys(this.corpus)).hasSizeGreaterThan(10)
			.doesNotContainAnyElementsOf(keys(new BadRequests(7, "127.0.0.1:2")));
	}

	private static Set<String> keys(BadRequests corpus) {
		return IntStream.range(0, MANY)
			.mapToObj(corpus::request)
			.filter((request) -> request.kind().isGood())
			.flatMap((request) -> new String(request.bytes(), StandardCharsets.UTF_8).lines())
			.filter((line) -> line.startsWith("Idempotency-Key:"))
			.collect(Collectors.toSet());
	}

	@Test
	void hasEveryKindAndFewThatAreSlow() {
		Set<Kind> kinds = EnumSet.noneOf(Kind.class);
		int slow = 0;
		for (int number = 0; number < MANY; number++) {
			Kind kind = this.corpus.request(number).kind();
			kinds.add(kind);
			slow += kind.isSlow() ? 1 : 0;
		}

		assertThat(kinds).containsExactlyInAnyOrder(Kind.values());
		assertThat(slow).isBetween(10, MANY / 50);
	}

	@Test
	void callsGoodWhatIsAnOrder() {
		int good = 0;
		for (int number = 0; number < MANY; number++) {
			Request request = this.corpus.request(number);
			if (request.kind() == Kind.GOOD) {
				String text = new String(request.bytes(), StandardCharsets.UTF_8);
				assertThat(text).startsWith("POST /orders HTTP/1.1\r\nHost: 127.0.0.1:1\r\n");
				String body = text.substring(text.indexOf("\r\n\r\n") + 4);
				assertThat(text).contains("Content-Length: %d\r\n".formatted(body.length()));
				assertThat(JsonMapper.shared().readValue(body, Order.class).items()).hasSize(1);
				good++;
			}
		}
		assertThat(good).isGreaterThan(MANY / 50);
	}

}
