package dev.sluice.lab.kit.stack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import dev.sluice.lab.kit.stack.RawConnection.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RawConnectionTests {

	private static final long LONG = 20_000;

	private final CountDownLatch tested = new CountDownLatch(1);

	private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());

	RawConnectionTests() throws IOException {
	}

	@AfterEach
	void stop() throws IOException {
		this.tested.countDown();
		this.server.close();
	}

	@Test
	void readsABodyOfAGivenLength() throws Exception {
		answer("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nbusy and more", false);

		assertThat(receive(LONG))
			.isEqualTo(new Reply.Answer(503, Map.of("retry-after", "1", "content-length", "4"), "busy"));
	}

	@Test
	void readsABodyInChunksAfterAContinue() throws Exception {
		answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 \r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
				false);

		assertThat(receive(LONG)).isEqualTo(new Reply.Answer(201, Map.of("transfer-encoding", "chunked"), "abcde"));
	}

	@Test
	void readsABodyUntilTheConnectionEnds() throws Exception {
		answer("HTTP/1.0 400 Bad Request\r\n\r\nwhat?", true);

		assertThat(receive(LONG)).isEqualTo(new Reply.Answer(400, Map.of(), "what?"));
	}

	@Test
	void waitsForNoBodyWhereThereIsNone() throws Exception {
		answer("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n", false);

		assertThat(receive(LONG, true)).isEqualTo(new Reply.Answer(404, Map.of("content-length", "4"), ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "HTTP/1.1 2" })
	void tellsThatTheConnectionEndedBeforeAWholeAnswer(String beginning) throws Exception {
		answer(beginning, true);

		assertThat(receive(LONG)).isEqualTo(new Reply.Closed());
	}

	@Test
	void tellsThatNoAnswerCameInTime() throws Exception {
		answer("HTTP/1.1 200 OK\r\n", false);

		assertThat(receive(1)).isEqualTo(new Reply.Silent());
	}

	@ParameterizedTest
	@ValueSource(strings = { "hello\r\n", "HTTP/1.1 999 x\r\n\r\n", "HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" })
	void tellsWhatIsNoHttp(String answer) throws Exception {
		answer(answer, true);

		assertThat(receive(LONG)).isInstanceOf(Reply.Garbled.class);
	}

	private Reply receive(long timeoutMillis) throws IOException {
		return receive(timeoutMillis, false);
	}

	private Reply receive(long timeoutMillis, boolean headOnly) throws IOException {
		try (RawConnection connection = RawConnection
			.open(URI.create("http://127.0.0.1:" + this.server.getLocalPort()))) {
			connection.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			return connection.receive(timeoutMillis, headOnly);
		}
	}

	private void answer(String text, boolean close) {
		Thread.ofVirtual().start(() -> {
			try (Socket socket = this.server.accept()) {
				// All of it: to close with something unread would reset the connection.
				socket.getInputStream().readNBytes(18);
				socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
				if (!close) {
					this.tested.await();
				}
			}
			catch (IOException | InterruptedException _) {
				// The test is over.
			}
		});
	}

}
