package dev.sluice.gateway;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.netty.NettyPipeline;

import static org.assertj.core.api.Assertions.assertThat;

class HeadTimeoutTests {

	private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

	private final EmbeddedChannel channel = new EmbeddedChannel();

	@BeforeEach
	void install() {
		this.channel.freezeTime();
		this.channel.pipeline().addLast(NettyPipeline.HttpCodec, new HttpServerCodec());
		HeadTimeout.install(this.channel, Duration.ofSeconds(20));
	}

	@AfterEach
	void close() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void leavesAnIdleConnectionAlone() {
		after(60);
		assertThat(this.channel.isOpen()).isTrue();

		receive(GET);
		after(60);

		assertThat(this.channel.isOpen()).isTrue();
	}

	@Test
	void closesAConnectionWhoseRequestStopsInItsHead() {
		receive("GET / HT");
		after(19);
		assertThat(this.channel.isOpen()).isTrue();

		after(1);

		assertThat(this.channel.isOpen()).isFalse();
	}

	@Test
	void givesAHeadNoMoreTimeForComingInDrops() {
		receive("GET / HT");
		after(19);
		receive("TP/1.1\r\n");

		after(1);

		assertThat(this.channel.isOpen()).isFalse();
	}

	@Test
	void closesAKeptConnectionWhoseNextRequestStops() {
		receive(GET);
		receive("G");

		after(20);

		assertThat(this.channel.isOpen()).isFalse();
	}

	@Test
	void leavesARequestAloneWhoseHeadHasCome() {
		receive("POST / HT");
		receive("TP/1.1\r\nContent-Length: 5\r\n\r\n1");
		receive("2");

		after(60);

		assertThat(this.channel.isOpen()).isTrue();
	}

	private void receive(String bytes) {
		this.channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.US_ASCII));
	}

	private void after(long seconds) {
		this.channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
		this.channel.runScheduledPendingTasks();
	}

}
