package dev.sluice.gateway.backend;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InformationalResponsesTests {

	/** However soon the next request follows, which would get it for its answer. */
	@Test
	void endsAConnectionOnWhichMoreArrivesThanAnAnswer() {
		EmbeddedChannel channel = new EmbeddedChannel(new HttpClientCodec(), new InformationalResponses());
		String answers = "HTTP/1.1 103 X\r\n\r\n" + "HTTP/1.1 201 X\r\nContent-Length: 0\r\n\r\n";
		for (int i = 0; i < 2; i++) {
			channel.writeOutbound(new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"));
			channel.writeInbound(Unpooled.copiedBuffer(answers, StandardCharsets.US_ASCII));
		}
		assertThat(channel.isOpen()).isTrue();
		assertThat(channel.inboundMessages()).hasSize(4);

		channel.writeInbound(Unpooled.copiedBuffer(answers, StandardCharsets.US_ASCII));

		assertThat(channel.isOpen()).isFalse();
		assertThat(channel.inboundMessages()).hasSize(4);
	}

}
