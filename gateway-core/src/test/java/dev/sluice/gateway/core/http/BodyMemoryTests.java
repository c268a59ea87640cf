package dev.sluice.gateway.core.http;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BodyMemoryTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final BodyMemory memory = new BodyMemory(
			new ConnectionProperties(TIMEOUT, TIMEOUT, 10, TIMEOUT, DataSize.ofKilobytes(80)));

	@Test
	void collectsAnnouncedBodies() {
		BodyMemory.Body body = begin(6);

		add(body, "abc");
		assertThat(this.memory.held()).isEqualTo(6);
		add(body, "def");

		assertThat(body.count()).isEqualTo(6);
		assertThat(body.bytes()).asString().isEqualTo("abcdef");
	}

	@Test
	void collectsBodiesOfUnknownLength() {
		BodyMemory.Body body = begin(-1);
		String all = "0123456789".repeat(1_000);

		for (int at = 0; at < all.length(); at += 1_000) {
			add(body, all.substring(at, at + 1_000));
		}

		assertThat(body.bytes()).asString().isEqualTo(all);
		assertThat(this.memory.held()).isBetween(10_000L, 20_000L);
	}

	@Test
	void keepsWhatHasComeInWhenTheSourceHasEnded() {
		BodyMemory.Body body = begin(-1);
		add(body, "abc");

		body.reserve(1);
		assertThat(body.<RuntimeException>fill((_, _, _) -> -1)).isNegative();

		assertThat(body.bytes()).asString().isEqualTo("abc");
	}

	@Test
	void refusesWhatIsAnnouncedTooLarge() {
		assertThat(begin(Order.MAX_BYTES)).isNotNull();
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> begin(Order.MAX_BYTES + 1L))
			.returns(ProblemType.TOO_LARGE, ProblemException::type);
	}

	@Test
	void refusesWhatTurnsOutTooLarge() {
		BodyMemory.Body body = begin(-1);
		add(body, "x".repeat(Order.MAX_BYTES));

		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> add(body, "x"))
			.returns(ProblemType.TOO_LARGE, ProblemException::type);
	}

	@Test
	void usesAllOfItsMemory() {
		begin(60_000).reserve(60_000);
		begin(80 * 1024 - 60_000).reserve(80 * 1024 - 60_000);

		assertThat(this.memory.held()).isEqualTo(80 * 1024);
	}

	@Test
	void refusesABodyForWhichThereIsNoMemory() {
		BodyMemory.Body first = begin(60_000);
		first.reserve(60_000);
		BodyMemory.Body second = begin(60_000);

		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> second.reserve(60_000))
			.returns(ProblemType.OVERLOADED, ProblemException::type);
		assertThat(this.memory.held()).isEqualTo(60_000);

		first.release();
		second.reserve(60_000);
		assertThat(this.memory.held()).isEqualTo(60_000);
	}

	@Test
	void holdsNothingForABodyThatHasEnded() {
		BodyMemory.Body body = begin(-1);
		add(body, "abc");

		body.release();
		body.release();
		assertThat(this.memory.held()).isZero();
		body.reserve(30_000);

		assertThat(this.memory.held()).isZero();
	}

	private BodyMemory.Body begin(long length) {
		return this.memory.begin(length);
	}

	private static void add(BodyMemory.Body body, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		body.reserve(bytes.length);
		body.<RuntimeException>fill((target, offset, length) -> {
			assertThat(length).isGreaterThanOrEqualTo(bytes.length);
			System.arraycopy(bytes, 0, target, offset, bytes.length);
			return bytes.length;
		});
	}

}
