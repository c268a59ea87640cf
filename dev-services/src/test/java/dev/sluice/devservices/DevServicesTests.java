package dev.sluice.devservices;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/** A start that fails is repeated by whoever next requests the server. */
class DevServicesTests {

	private static final StartFailedException SLOW = new StartFailedException("the machine is slow");

	private final Server broker = mock(Server.class);

	private final EmbeddedPostgres postgres = mock(EmbeddedPostgres.class);

	@Test
	void startsEachServerOnceAlsoAfterAFailure() {
		doThrow(SLOW).doNothing().when(this.broker).start();
		doThrow(SLOW).doNothing().when(this.postgres).start();
		DevServices services = new DevServices(Infrastructure.EMBEDDED, new KafkaService(List.of(this.broker), () -> {
		}), this.postgres);

		assertThatExceptionOfType(StartFailedException.class).isThrownBy(services::kafka);
		assertThatExceptionOfType(StartFailedException.class).isThrownBy(services::postgres);
		for (int i = 0; i < 3; i++) {
			assertThat(services.kafka()).isNotNull();
			assertThat(services.postgres()).isSameAs(this.postgres);
		}

		verify(this.broker, times(2)).start();
		verify(this.postgres, times(2)).start();
	}

}
