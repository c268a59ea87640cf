package dev.sluice.contract;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A backend that misbehaves byte for byte as a test decides, where the faults of the
 * backend mock are not enough. It has a virtual thread for each connection; all end with
 * it.
 */
public final class FakeBackend implements AutoCloseable {

	private final ServerSocket server;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final AtomicInteger connections = new AtomicInteger();

	private final List<String> requests = new CopyOnWriteArrayList<>();

	private volatile Reply reply = Reply.of(404, "{}");

	public FakeBackend() throws IOException {
		this.server = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
		Thread.ofVirtual().start(this::accept);
	}

	public URI uri() {
		return URI.create("http://127.0.0.1:" + this.server.getLocalPort());
	}

	/** Sets the reply to requests from now on. */
	public void reply(Reply reply) {
		this.reply = reply;
	}

	/** Head and body of each request so far. */
	public List<String> requests() {
		return new ArrayList<>(this.requests);
	}

	/** Connections accepted so far. */
	public int connections() {
		return this.connections.get();
	}

	/** Connections that are open. */
	public long open() {
		return this.sockets.stream().filter((socket) -> !socket.isClosed()).count();
	}

	private void accept() {
		try {
			while (true) {
				Socket socket = this.server.accept();
				this.connections.incrementAndGet();
				this.sockets.add(socket);
				Thread.ofVirtual().start(() -> serve(socket));
			}
		}
		catch (IOException ex) {
			// Closed: the test is over.
		}
	}

	private void serve(Socket socket) {
		try (socket) {
			String request = read(socket.getInputStream());
			while (request != null) {
				this.reply.to(socket, request);
				request = read(socket.getInputStream());
			}
		}
		catch (IOException | InterruptedException ex) {
			// The reply or the client has ended the connection.
		}
	}

	private @Nullable String read(InputStream in) throws IOException {
		ByteArrayOutputStream head = new ByteArrayOutputStream();
		while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
			int next = in.read();
			if (next < 0) {
				return null;
			}
			head.write(next);
		}
		String text = head.toString(StandardCharsets.ISO_8859_1);
		int length = text.lines()
			.map((line) -> line.toLowerCase(Locale.ROOT))
			.filter((line) -> line.startsWith("content-length:"))
			.mapToInt((line) -> Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
			.findFirst()
			.orElse(0);
		String request = text + new String(in.readNBytes(length), StandardCharsets.UTF_8);
		this.requests.add(request);
		return request;
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	/** Acts on a connection after a request has been read from it. */
	@FunctionalInterface
	public interface Reply {

		/** The order's id. */
		Pattern KEY = Pattern.compile("(?i)idempotency-key: \"([^\"]*)\"");

		/**
		 * @param request its head and body
		 */
		void to(Socket socket, String request) throws IOException, InterruptedException;

		static Reply of(int status, String json) {
			return (socket, _) -> write(socket.getOutputStream(), """
					HTTP/1.1 %s X\r
					Content-Type: application/json\r
					Content-Length: %s\r
					\r
					%s""".formatted(status, json.length(), json));
		}

		/** Says of each order that it is saved. */
		static Reply saved() {
			return (socket, request) -> of(201, savedJson(request)).to(socket, request);
		}

		/** The same, and at once an answer that nobody asked for. */
		static Reply savedAndOneMore() {
			return (socket, request) -> {
				String json = savedJson(request);
				write(socket.getOutputStream(), "HTTP/1.1 201 X\r\nContent-Length: %s\r\n\r\n%s%s"
					.formatted(json.length(), json, "HTTP/1.1 422 X\r\nContent-Length: 2\r\n\r\n{}"));
			};
		}

		/** Below a head of 150 fields, one of 9 KB, as proxies may add them. */
		static Reply savedBelowALongHead() {
			return (socket, request) -> {
				String json = savedJson(request);
				write(socket.getOutputStream(), "HTTP/1.1 201 X\r\n%sX-Policy: %s\r\nContent-Length: %s\r\n\r\n%s"
					.formatted("X-Hop: 1\r\n".repeat(148), "p".repeat(9_000), json.length(), json));
			};
		}

		private static String savedJson(String request) {
			Matcher key = KEY.matcher(request);
			return key.find() ? "{\"id\":\"%s\",\"savedAt\":\"2026-11-21T11:00:00Z\"}".formatted(key.group(1)) : "{}";
		}

		/** Neither answers nor closes. */
		static Reply never() {
			return (_, _) -> Thread.currentThread().join();
		}

		/** A byte every 20 ms, for ever: no time limit on a single read ends it. */
		static Reply trickle() {
			return (socket, _) -> {
				write(socket.getOutputStream(), "HTTP/1.1 201 X\r\nContent-Length: 60000\r\n\r\n");
				while (true) {
					write(socket.getOutputStream(), " ");
					Thread.sleep(20);
				}
			};
		}

		/** Closes with a reset. */
		static Reply reset() {
			return (socket, _) -> {
				socket.setSoLinger(true, 0);
				socket.close();
			};
		}

		private static void write(OutputStream out, String text) throws IOException {
			out.write(text.getBytes(StandardCharsets.UTF_8));
			out.flush();
		}

	}

}
