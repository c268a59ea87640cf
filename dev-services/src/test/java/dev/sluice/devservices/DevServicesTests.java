package dev.sluice.devservices;

import java.util.Iterator;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/** A server that does not start is closed, and another one starts at the next request. */
class DevServicesTests {

	private static final StartFailedException SLOW = new StartFailedException("the machine is slow");

	private final Breakable broker = mock(Breakable.class);

	private final Breakable failing = mock(Breakable.class);

	private final Breakable postgres = mock(Breakable.class);

	private final Iterator<Breakable> made = List.of(this.failing, this.postgres).iterator();

	private final DevServices services = new DevServices(Infrastructure.EMBEDDED,
			() -> new KafkaService("", List.of(this.broker)),
			() -> new PostgresService("localhost", 5432, this.made.next()));

	@Test
	void startsEachServerOnceAlsoAfterAFailure() {
		doThrow(SLOW).doNothing().when(this.broker).start();
		doThrow(SLOW).when(this.failing).start();
		doThrow(IllegalStateException.class).when(this.failing).close();

		assertThatExceptionOfType(StartFailedException.class).isThrownBy(this.services::kafka);
		assertThatExceptionOfType(StartFailedException.class).isThrownBy(this.services::postgres)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
		verify(this.broker).close();
		verify(this.failing).close();
		for (int i = 0; i < 3; i++) {
			assertThat(this.services.kafka()).isNotNull();
			assertThat(this.services.postgres().server()).isSameAs(this.postgres);
		}

		verify(this.broker, times(2)).start();
		verify(this.postgres).start();
	}

	@Test
	void startsNothingAfterClose() {
		this.services.close();

		assertThatExceptionOfType(StartFailedException.class).isThrownBy(this.services::postgres)
			.withMessageContaining("closed");

		verify(this.failing, never()).start();
		verify(this.failing).close();
	}

}
