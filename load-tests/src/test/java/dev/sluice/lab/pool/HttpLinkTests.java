package dev.sluice.lab.pool;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.sluice.lab.StubServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class HttpLinkTests {

	private static final int ANSWER_MILLIS = 5_000;

	@RegisterExtension
	private final StubServer server = new StubServer();

	@ParameterizedTest
	@ValueSource(strings = { "/100", "/x?delay=5", "/a%20b?c=%2F" })
	void asksForThePathWithItsQuery(String resource) throws Exception {
		Queue<String> asked = new ConcurrentLinkedQueue<>();
		this.server.on("/", (exchange) -> {
			asked.add(exchange.getRequestURI().toString());
			StubServer.answer(exchange, 200, "ok");
		});

		HttpLink link = HttpLink.open(this.server.uri(resource), ANSWER_MILLIS);
		link.exchange();
		link.close();

		assertThat(asked).containsExactly(resource);
	}

	@ParameterizedTest
	@ValueSource(strings = { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
			"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" })
	void usesTheConnectionAgainAfterAWholeAnswer(String answer) throws Exception {
		try (ServerSocket server = answering(answer + answer)) {
			HttpLink link = open(server);

			assertThat(link.exchange()).isTrue();
			assertThat(link.exchange()).isTrue();
			link.close();
		}
	}

	@Test
	void doesNotUseAConnectionAgainThatEnds() throws Exception {
		try (ServerSocket server = answering("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")) {
			HttpLink link = open(server);

			assertThat(link.exchange()).isFalse();
			link.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "hello\r\n", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 200 OK\r\n\r\nuntil the end", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf" })
	void failsWithoutAWholeAnswerOfSuccess(String answer) throws Exception {
		try (ServerSocket server = answering(answer)) {
			HttpLink link = open(server);

			assertThatIOException().isThrownBy(link::exchange);
			link.close();
		}
	}

	private static HttpLink open(ServerSocket server) throws IOException {
		return HttpLink.open(URI.create("http://127.0.0.1:%s/x".formatted(server.getLocalPort())), ANSWER_MILLIS);
	}

	/** Answers one connection, then closes it. */
	private static ServerSocket answering(String answers) throws IOException {
		ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
		Thread.ofVirtual().start(() -> {
			try (Socket socket = server.accept()) {
				socket.getInputStream().read();
				socket.getOutputStream().write(answers.getBytes(StandardCharsets.US_ASCII));
				socket.shutdownOutput();
				socket.getInputStream().transferTo(OutputStream.nullOutputStream());
			}
			catch (IOException _) {
				// The test is over.
			}
		});
		return server;
	}

}
