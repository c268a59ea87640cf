package dev.sluice.gateway.core.problem;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;

class ProblemExceptionTests {

	@ParameterizedTest
	@EnumSource(ProblemType.class)
	void saysWhetherAnOrderWasPlacedWhereThatIsInDoubt(ProblemType type) {
		byte[] body = new ProblemException(type, "No.").toResponse(HttpMethod.POST, "/orders").getBody();

		assertThat(text(body).contains("\"placed\":\"unknown\""))
			.isEqualTo(type.status() >= 500 || type.status() == 429);
	}

	/** Whole seconds: with 0 every client would retry at once. */
	@ParameterizedTest
	@CsvSource({ "0, 1", "1, 1", "1000, 1", "1001, 2", "7000, 7" })
	void roundsTheTimeToWaitUp(long millis, String seconds) {
		ProblemException problem = new ProblemException(ProblemType.TOO_MANY_REQUESTS, "Later.", Placed.NO,
				Duration.ofMillis(millis));

		assertThat(retryAfter(problem)).isEqualTo(seconds);
	}

	@ParameterizedTest
	@EnumSource(ProblemType.class)
	void saysWhenToRepeatWhateverIsUnavailable(ProblemType type) {
		assertThat(retryAfter(new ProblemException(type, "No."))).isEqualTo((type.status() == 503) ? "1" : null);
	}

	@Test
	void isAWholeAnswerAsWell() {
		ProblemException problem = new ProblemException(ProblemType.OVERLOADED, "Too many.", Placed.NO);

		assertThat(text(problem.toBytes("POST", "/orders", true))).isEqualToNormalizingNewlines("""
				HTTP/1.1 503\s
				Content-Type: application/problem+json
				Content-Length: 147
				Retry-After: 1
				Connection: close

				{"type":"urn:sluice:problem:overloaded","title":"The gateway is at its limit","status":503,\
				"detail":"Too many.","instance":"/orders","placed":"no"}""");
		assertThat(text(problem.toBytes("GET", "/docs", false))).doesNotContain("Connection", "placed");
		assertThat(text(problem.toBytes("HEAD", "/docs", false))).endsWith("\r\n\r\n");
	}

	private static String text(byte[] answer) {
		return new String(answer, StandardCharsets.US_ASCII);
	}

	@ParameterizedTest
	@CsvSource({ "404, NOT_FOUND", "405, METHOD_NOT_ALLOWED", "406, NOT_ACCEPTABLE", "408, REQUEST_TIMEOUT",
			"413, TOO_LARGE", "415, UNSUPPORTED_MEDIA_TYPE", "400, INVALID_REQUEST", "499, INVALID_REQUEST",
			"501, INVALID_REQUEST", "505, INVALID_REQUEST", "503, OVERLOADED", "500, INTERNAL", "502, INTERNAL" })
	void anHttpStatusStandsForAType(int status, ProblemType type) {
		assertThat(ProblemException.typeOf(status)).isEqualTo(type);
	}

	@ParameterizedTest
	@EnumSource(ProblemType.class)
	void everyTypeHasAStandardDetail(ProblemType type) {
		ProblemException problem = ProblemException.of(type);

		assertThat(problem.type()).isEqualTo(type);
		assertThat(problem).message().endsWith(".").hasSizeGreaterThan(10);
	}

	private static String retryAfter(ProblemException problem) {
		return problem.toResponse(HttpMethod.GET, "/orders").getHeaders().getFirst(HttpHeaders.RETRY_AFTER);
	}

}
