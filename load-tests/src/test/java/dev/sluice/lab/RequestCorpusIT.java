package dev.sluice.lab;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

import dev.sluice.contract.FakeBackend;
import dev.sluice.contract.RequestCorpus;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.kit.stack.Workspace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For no input does one gateway place an order that the other one refuses or reads
 * differently, and each ends the exchange. The requests differ with each run;
 * {@code -Dsluice.seed} repeats them.
 */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class RequestCorpusIT {

	private static final int EXCHANGES = 2_000;

	/** Most of the time they wait for a time limit of the gateway. */
	private static final int AT_ONCE = 100;

	private static final Pattern PLACED = Pattern.compile("HTTP/1\\.[01] 20[12] ");

	private final long seed = Long.getLong("sluice.seed", System.nanoTime());

	@TempDir
	private Path directory;

	@Test
	void bothGatewaysPlaceTheSameOrdersAndEndEveryExchange() throws Exception {
		try (Stack stack = new Stack(Workspace.find(), Infrastructure.fromEnvironment(), this.directory,
				StackOptions.CHECKING);
				FakeBackend servletBackend = backend();
				FakeBackend reactiveBackend = backend()) {
			stack.startInfrastructure();
			Service servlet = stack.startGateway(Variant.SERVLET_VIRTUAL, options(servletBackend));
			Service reactive = stack.startGateway(Variant.REACTIVE, options(reactiveBackend));
			List<String> differing = new ArrayList<>();

			// Hosts of equal length, so that the lengths of the requests are equal, too.
			List<Answered> byServlet = send(servlet, "twin-one");
			List<Answered> byReactive = send(reactive, "twin-two");

			for (int i = 0; i < EXCHANGES; i++) {
				if (!byServlet.get(i).equals(byReactive.get(i))) {
					differing.add("%d: servlet %s, reactive %s:%n%s".formatted(i, byServlet.get(i), byReactive.get(i),
							RequestCorpus.printed(new RequestCorpus(this.seed, "twin-one").exchange(i))));
				}
			}
			assertThat(differing).as("seed %d", this.seed).isEmpty();
			assertThat(byServlet).as("seed %d", this.seed).allMatch(Answered::ended);
			assertThat(orders(servletBackend)).as("seed %d", this.seed)
				.hasSizeGreaterThan(EXCHANGES / 10)
				.containsExactlyElementsOf(orders(reactiveBackend));
			assertThat(stack.services()).hasSize(2);
		}
	}

	private static FakeBackend backend() throws IOException {
		FakeBackend backend = new FakeBackend();
		backend.reply(FakeBackend.Reply.saved());
		return backend;
	}

	/** Whatever the client leaves open ends soon; nothing else depends on time. */
	private static ServiceOptions options(FakeBackend backend) {
		ServiceOptions options = ServiceOptions.NONE.withProperty("backend.url", backend.uri())
			.withProperty("backend.response-timeout", "2m")
			.withProperty("queue.timeout", "2m")
			.withProperty("status.key-lookup-timeout", 0)
			.withProperty("sluice.min-body-rate", "0B");
		String soon = Patience.ofSeconds(3).toMillis() + "ms";
		for (String limit : List.of("sluice.head-timeout", "sluice.body-timeout", "server.netty.idle-timeout",
				"server.tomcat.keep-alive-timeout", "server.tomcat.connection-timeout")) {
			options = options.withProperty(limit, soon);
		}
		return options;
	}

	private List<Answered> send(Service gateway, String host) throws Exception {
		RequestCorpus corpus = new RequestCorpus(this.seed, host);
		Semaphore places = new Semaphore(AT_ONCE);
		List<Future<Answered>> futures = new ArrayList<>();
		List<Answered> answers = new ArrayList<>();
		try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < EXCHANGES; i++) {
				String exchange = corpus.exchange(i);
				places.acquire();
				futures.add(clients.submit(() -> {
					try {
						return exchange(gateway.uri(), exchange);
					}
					finally {
						places.release();
					}
				}));
			}
			for (Future<Answered> future : futures) {
				answers.add(future.get());
			}
		}
		return answers;
	}

	private static Answered exchange(URI gateway, String exchange) throws IOException {
		ByteArrayOutputStream answers = new ByteArrayOutputStream();
		boolean ended = true;
		try (Socket socket = new Socket(gateway.getHost(), gateway.getPort())) {
			socket.setSoTimeout((int) Patience.ofSeconds(60).toMillis());
			try {
				socket.getOutputStream().write(exchange.getBytes(StandardCharsets.ISO_8859_1));
			}
			catch (IOException _) {
				// The gateway may have answered and closed before it had everything.
			}
			try {
				socket.getInputStream().transferTo(answers);
			}
			catch (SocketTimeoutException _) {
				ended = false;
			}
			catch (IOException _) {
				// A reset is an end, too.
			}
		}
		return new Answered(PLACED.matcher(answers.toString(StandardCharsets.UTF_8)).results().count(), ended);
	}

	/** The orders that a gateway has placed at the backend. */
	private static List<String> orders(FakeBackend backend) {
		return backend.requests()
			.stream()
			.map((request) -> request.substring(request.indexOf("\r\n\r\n") + 4))
			.filter((body) -> !body.isEmpty())
			.sorted()
			.toList();
	}

	/**
	 * The answers to an exchange.
	 *
	 * @param placed how many of them say that an order was placed
	 * @param ended whether the gateway ended the connection
	 */
	private record Answered(long placed, boolean ended) {
	}

}
