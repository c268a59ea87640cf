package dev.sluice.lab.pool;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

import dev.sluice.lab.kit.stack.RawConnection;
import dev.sluice.lab.kit.stack.RawConnection.Reply;

/** A connection to an HTTP server; each message is a GET. */
final class HttpLink implements Link {

	private final RawConnection connection;

	private final int answerMillis;

	private final byte[] request;

	private HttpLink(URI target, int answerMillis) throws IOException {
		this.request = "GET %s HTTP/1.1\r\nHost: %s:%d\r\n\r\n".formatted(
				(target.getRawQuery() != null) ? target.getRawPath() + "?" + target.getRawQuery() : target.getRawPath(),
				target.getHost(), target.getPort())
			.getBytes(StandardCharsets.US_ASCII);
		this.answerMillis = answerMillis;
		this.connection = RawConnection.open(target);
	}

	/** Every message is a GET of this http URI. */
	static Opener to(URI target) {
		return (answerMillis) -> new HttpLink(target, answerMillis);
	}

	@Override
	public boolean exchange() throws IOException {
		this.connection.send(this.request);
		Reply reply = this.connection.receive(this.answerMillis);
		if (!(reply instanceof Reply.Answer answer) || answer.status() / 100 != 2) {
			throw new IOException("no success: " + reply);
		}
		return !"close".equalsIgnoreCase(answer.headers().get("connection"));
	}

	@Override
	public void close() {
		try {
			this.connection.close();
		}
		catch (IOException ex) {
			throw new IllegalStateException("a socket cannot be closed", ex);
		}
	}

}
