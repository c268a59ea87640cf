package dev.sluice.backend.http;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import dev.sluice.backend.loop.VirtualLoop;
import dev.sluice.backend.model.Backend;
import dev.sluice.backend.model.BackendMetrics;
import dev.sluice.backend.model.BackendProperties;
import dev.sluice.backend.store.MemoryOrderStore;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionCapTests {

	private final VirtualLoop loop = new VirtualLoop();

	private final Backend backend = new Backend(this.loop, new SplittableRandom(1),
			new BackendProperties(BackendProperties.Store.MEMORY, 1, Duration.ofSeconds(2), 10, 10, 0),
			new MemoryOrderStore(10), new BackendMetrics(new SimpleMeterRegistry()));

	private final ConnectionCap cap = new ConnectionCap(this.loop, this.backend);

	@Test
	void admitsAllWithoutCap() {
		assertThat(admittedOf(10_000)).isEqualTo(10_000);
	}

	@Test
	void admitsASecondsWorthAtOnceAndThenTheRate() {
		capAt(10);

		assertThat(admittedOf(100)).isEqualTo(10);
		this.loop.advance(Duration.ofMillis(500));
		assertThat(admittedOf(100)).isEqualTo(5);
		this.loop.advance(Duration.ofHours(1));
		assertThat(admittedOf(100)).isEqualTo(10);
	}

	@Test
	void aNewCapHoldsAtOnce() {
		capAt(10);
		admittedOf(100);

		capAt(20);
		assertThat(admittedOf(100)).isEqualTo(20);

		capAt(0);
		assertThat(admittedOf(100)).isEqualTo(100);
	}

	@Test
	void closesAndCountsWhatItRefuses() {
		capAt(1);
		EmbeddedChannel first = new EmbeddedChannel();
		EmbeddedChannel second = new EmbeddedChannel();

		this.cap.accepted(first);
		this.cap.accepted(second);

		assertThat(first.isOpen()).isTrue();
		assertThat(second.isOpen()).isFalse();
		assertThat(this.backend.audit().join().connectionsOpened()).isEqualTo(1);
		assertThat(this.backend.audit().join().connectionsRefused()).isEqualTo(1);
	}

	private long admittedOf(int connections) {
		return IntStream.range(0, connections).filter((_) -> this.cap.admit()).count();
	}

	private void capAt(int perSecond) {
		this.backend
			.behave(new BackendBehaviour(new Delay.Fixed(0), 0, 503, 0, 0, perSecond, new Capacity.Unlimited()));
	}

}
