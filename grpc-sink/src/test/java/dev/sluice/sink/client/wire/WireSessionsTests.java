package dev.sluice.sink.client.wire;

import java.time.Duration;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.MemorySpool;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.Spool.Entry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WireSessionsTests {

	private static final long AGE = Duration.ofHours(1).toMillis();

	private final MemorySpool spool = new MemorySpool(1_000);

	private final WireSessions sessions = new WireSessions(this.spool);

	@Test
	void saysHowOldASessionsFirstMessageIs() {
		assertThat(this.sessions.announce(entry(5, System.currentTimeMillis() - AGE)).getAgeMillis()).isBetween(AGE,
				2 * AGE);
		assertThat(this.sessions.announce(entry(5, System.currentTimeMillis() + AGE)).getAgeMillis())
			.as("by a clock that was set back")
			.isZero();
	}

	@Test
	void saysWhichMessageMayComeFirst() {
		this.spool.append(List.of(new Message(null, new byte[1]), new Message(null, new byte[1])));
		this.spool.settle(List.of(0L));

		assertThat(this.sessions.announce(entry(5, 0)).getFirstUnsettled()).as("in the spool still")
			.isEqualTo(WireSessions.sequence(1));
		assertThat(this.sessions.announce(entry(0, 0)).getFirstUnsettled()).as("the message itself")
			.isEqualTo(WireSessions.sequence(0));
	}

	private static Entry entry(long number, long appendedAt) {
		return new Entry(number, 7, ByteString.copyFromUtf8("id"), ByteString.EMPTY, new byte[1], appendedAt);
	}

}
