package dev.sluice.gateway.edge;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.limit.RequestLimits;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import reactor.netty.Connection;
import reactor.netty.ConnectionObserver;
import reactor.netty.NettyInbound;
import reactor.netty.NettyOutbound;
import reactor.netty.NettyPipeline;
import reactor.netty.channel.ChannelOperations;

import static org.assertj.core.api.Assertions.assertThat;

class RequestFramingHandlerTests {

	private static final String GET = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n";

	private static final String POST = "POST /0 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";

	private final Application application = new Application();

	private final EmbeddedChannel channel = new EmbeddedChannel();

	private RequestLimit limit;

	@BeforeEach
	void install() {
		this.channel.freezeTime();
		this.channel.config().setAutoRead(false);
		this.channel.pipeline().addLast(NettyPipeline.HttpCodec, new HttpServerCodec()).addLast(this.application);
		ConnectionProperties connections = properties(ConnectionProperties.class, Map.of());
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.limit = RequestLimits.of(properties(GatewayProperties.class, Map.of("sluice.max-in-progress", 1)),
				connections, meters);
		RequestFramingHandler.install(this.channel, 8192, this.limit);
	}

	private static <T> T properties(Class<T> type, Map<String, ?> values) {
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("sluice", type);
	}

	@AfterEach
	void close() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void leavesAnIdleConnectionAlone() {
		after(60);
		receive(GET.formatted(0));
		after(60);

		assertThat(this.channel.isOpen()).isTrue();
	}

	@Test
	void limitsTheHeadOfALaterRequestFromItsTurn() {
		receive(GET.formatted(0) + "G");
		after(60);
		assertThat(this.channel.isOpen()).isTrue();
		answer(200);

		after(10);

		assertThat(this.channel.isOpen()).isFalse();
	}

	/** Otherwise a connection that was answered like this would never count as idle. */
	@Test
	void endsTheReadThatARequestBelongsTo() {
		receive(POST + "12345");
		int before = this.application.readsEnded;

		answer(404);

		assertThat(this.application.readsEnded).isGreaterThan(before);
		assertThat(this.channel.isOpen()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 408, 411, 413, 414, 500, 501 })
	void closesAfterAnAnswerAsTheServletContainerDoes(int status) {
		receive(GET.formatted(0));

		answer(status);

		assertThat(sent()).containsIgnoringCase("connection: close");
		assertThat(this.channel.isOpen()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(ints = { 200, 201, 202, 404, 405, 409, 415, 422, 429, 502, 503, 504 })
	void keepsTheConnectionAfterAnyOtherAnswer(int status) {
		receive(GET.formatted(0));

		answer(status);

		assertThat(sent()).doesNotContainIgnoringCase("connection: close");
		assertThat(this.channel.isOpen()).isTrue();
	}

	@Test
	void refusesByTheHeadAndKeepsTheConnectionIfTheBodyIsThere() {
		RequestLimit.Place taken = this.limit.arrive();
		taken.take();

		receive(POST + "12345" + GET.formatted(1) + "GET /2 HT");

		assertThat(sent()).containsSubsequence("HTTP/1.1 503", "\"/0\"", "HTTP/1.1 503", "\"/1\"")
			.doesNotContainIgnoringCase("connection: close");
		assertThat(this.application.requests).isEmpty();
		taken.close();
		receive("TP/1.1\r\nHost: a\r\n\r\n");
		assertThat(this.application.requests).containsExactly("/2");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
			"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\nx" })
	void closesAfterARefusalOfWhatIsLastOrHasNotArrived(String request) {
		this.limit.arrive().take();

		receive(request);

		assertThat(sent()).containsOnlyOnce("HTTP/1.1 ").containsIgnoringCase("connection: close");
		assertThat(this.channel.isOpen()).isFalse();
	}

	/** Reactor-netty loses a request that it gets earlier. */
	@Test
	void letsTheNextRequestInOnceTheExchangeHasEnded() {
		receive(GET.formatted(0) + GET.formatted(1));
		Exchange exchange = new Exchange(this.channel);

		answer(200);
		assertThat(this.application.requests).containsExactly("/0");

		exchange.end();
		this.channel.runPendingTasks();
		assertThat(this.application.requests).containsExactly("/0", "/1");
	}

	private void receive(String bytes) {
		this.channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.US_ASCII));
	}

	private void answer(int status) {
		FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1,
				HttpResponseStatus.valueOf(status));
		response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain").set(HttpHeaderNames.CONTENT_LENGTH, 0);
		this.channel.writeAndFlush(response);
		this.channel.runPendingTasks();
	}

	private String sent() {
		StringBuilder text = new StringBuilder();
		for (ByteBuf bytes = this.channel.readOutbound(); bytes != null; bytes = this.channel.readOutbound()) {
			text.append(bytes.toString(StandardCharsets.US_ASCII));
			bytes.release();
		}
		return text.toString();
	}

	private void after(long seconds) {
		this.channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
		this.channel.runScheduledPendingTasks();
		this.channel.runPendingTasks();
	}

	/** Records the messages that pass the gate. */
	private static final class Application extends ChannelInboundHandlerAdapter {

		private final List<String> requests = new ArrayList<>();

		private int readsEnded;

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (message instanceof HttpRequest request) {
				this.requests.add(request.uri());
			}
			ReferenceCountUtil.release(message);
		}

		@Override
		public void channelReadComplete(ChannelHandlerContext context) {
			this.readsEnded++;
		}

	}

	/** An exchange that reactor-netty has not ended yet. */
	private static final class Exchange extends ChannelOperations<NettyInbound, NettyOutbound> {

		Exchange(Channel channel) {
			super(Connection.from(channel), ConnectionObserver.emptyListener());
			bind();
		}

		void end() {
			terminate();
		}

	}

}
