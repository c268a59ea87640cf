package dev.sluice.gateway.core.limit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ArrivingRequestTests {

	private static final String SIZED = "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n%s";

	private static final String CHUNKED = "POST /orders HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RequestLimit limit = RequestLimits.of(
			new GatewayProperties(Mode.QUEUED, 1, Duration.ZERO, Duration.ZERO, 0, 0, 1, Duration.ZERO, Duration.ZERO),
			new ConnectionProperties(Duration.ofSeconds(10), Duration.ofSeconds(20), 1, Duration.ZERO,
					DataSize.ofKilobytes(64)),
			this.meters);

	private final ArrivingRequest request = arriving();

	private long nanos = Duration.ofDays(1).toNanos();

	@Test
	void givesTheHeadAndThenTheBodyItsTime() {
		assertThat(this.request.left()).isNull();

		check(this.request, "POST /orders HTTP/1.1\r\n");
		pass(4);
		check(this.request, "Host: a\r\n");
		assertThat(this.request.left()).isEqualTo(Duration.ofSeconds(6));

		check(this.request, "Content-Length: 2\r\n\r\na");
		pass(4);
		assertThat(this.request.left()).isEqualTo(Duration.ofSeconds(16));

		check(this.request, "b");
		assertThat(this.request.isComplete()).isTrue();
		assertThat(this.request.left()).isNull();
	}

	@Test
	void isReceivedUntilItHasArrivedAndThenInProgressUntilItEnds() {
		check(this.request, SIZED.formatted(2, "a"));
		assertThat(value(GatewayMetric.REQUESTS_RECEIVING)).isEqualTo(1);

		check(this.request, "b");
		this.request.admit();
		assertThat(value(GatewayMetric.REQUESTS_RECEIVING)).isZero();
		assertThat(value(GatewayMetric.REQUESTS_IN_PROGRESS)).isEqualTo(1);

		ArrivingRequest next = this.request.next();
		assertThat(value(GatewayMetric.REQUESTS_IN_PROGRESS)).isZero();
		assertThat(next.isComplete()).isFalse();
	}

	@Test
	void stopsAtTheEndOfARequest() {
		assertThat(check(this.request, SIZED.formatted(1, "ab"))).isEqualTo(SIZED.formatted(1, "a").length());
	}

	@Test
	void asksForABodyOnce() {
		check(this.request, "POST /orders HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
		assertThat(this.request.ask()).isNotNull();
		assertThat(this.request.ask()).isNull();

		check(this.request, "ab");
		ArrivingRequest next = this.request.next();
		check(next, SIZED.formatted(2, ""));
		assertThat(next.ask()).isNull();
	}

	@Test
	void refusesABodyThatIsTooLarge() {
		check(arriving(), SIZED.formatted(Order.MAX_BYTES, ""));
		assertThat(refusal(this.request, SIZED.formatted(Order.MAX_BYTES + 1, ""))).isEqualTo(ProblemType.TOO_LARGE);

		ArrivingRequest chunked = arriving();
		check(chunked, CHUNKED + "%x\r\n".formatted(Order.MAX_BYTES));
		chunked.end();
		ArrivingRequest large = arriving();
		assertThat(refusal(large, CHUNKED + "%x\r\n".formatted(Order.MAX_BYTES + 1))).isEqualTo(ProblemType.TOO_LARGE);
		assertThat(refusal(arriving(), CHUNKED + "1\r\na\r\n".repeat(Order.MAX_BYTES / 2)))
			.isEqualTo(ProblemType.TOO_LARGE);
	}

	/** Where its bytes end is known only to the framing that refused it. */
	@Test
	void closesTheConnectionAfterABodyThatIsTooLargeEvenIfItHasArrived() {
		String body = "x".repeat(Order.MAX_BYTES + 1);

		ProblemException problem = catchThrowableOfType(ProblemException.class,
				() -> check(this.request, CHUNKED + "%x\r\n%s\r\n0\r\n\r\n".formatted(body.length(), body)));

		assertThat(problem.type()).isEqualTo(ProblemType.TOO_LARGE);
		assertThat(this.request.isComplete()).isTrue();
		assertThat(this.request.isLast(problem)).isTrue();
	}

	@Test
	void refusesABodyForWhichThereIsNoMemory() {
		ArrivingRequest other = arriving();
		check(other, SIZED.formatted(60_000, "x".repeat(50_000)));
		check(this.request, SIZED.formatted(60_000, "x".repeat(15_000)));

		assertThat(refusal(this.request, "x".repeat(1_000))).isEqualTo(ProblemType.OVERLOADED);

		other.end();
		ArrivingRequest third = arriving();
		check(third, SIZED.formatted(60_000, "x".repeat(50_000)));
		check(third, "x".repeat(10_000));
		check(arriving(), SIZED.formatted(60_000, "x".repeat(50_000)));
	}

	@Test
	void answersInPlaceOfTheServer() {
		refusal(this.request, "GET /\n");
		ProblemException problem = this.request.late();
		assertThat(this.request.isLast(problem)).isTrue();
		assertThat(this.request.answer(problem)).asString().doesNotContain("instance");

		ArrivingRequest complete = arriving();
		check(complete, SIZED.formatted(1, "a"));
		assertThat(complete.isLast(problem)).isFalse();
		assertThat(complete.answer(problem)).asString()
			.contains("\"instance\":\"/orders\"")
			.doesNotContain("Connection");
	}

	private ArrivingRequest arriving() {
		return new ArrivingRequest(this.limit, 512, () -> this.nanos);
	}

	private void pass(int seconds) {
		this.nanos += Duration.ofSeconds(seconds).toNanos();
	}

	private static int check(ArrivingRequest request, String bytes) {
		return request.check(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.US_ASCII)));
	}

	private static ProblemType refusal(ArrivingRequest request, String bytes) {
		return catchThrowableOfType(ProblemException.class, () -> check(request, bytes)).type();
	}

	private double value(GatewayMetric metric) {
		return this.meters.get(metric.metricName()).gauge().value();
	}

}
