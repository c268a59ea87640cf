package dev.sluice.gateway.edge;

import org.apache.coyote.Processor;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class GuardedHttp11ProtocolTests {

	private final GuardedHttp11Protocol protocol = new GuardedHttp11Protocol();

	/** Tomcat never removes a request whose stream it closed while the request waited. */
	@Test
	void remembersNoStreamOfHttp2() {
		this.protocol.addWaitingProcessor(mock(Processor.class));

		assertThat(this.protocol.getWaitingProcessorCount()).isZero();
	}

	/** Tomcat's time limits of the connection depend on it. */
	@Test
	void remembersTheConnectionOfHttp2() {
		Processor connection = mock();
		when(connection.isUpgrade()).thenReturn(true);

		this.protocol.addWaitingProcessor(connection);

		assertThat(this.protocol.getWaitingProcessorCount()).isEqualTo(1);
	}

}
