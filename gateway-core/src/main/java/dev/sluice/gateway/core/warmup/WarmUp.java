package dev.sluice.gateway.core.warmup;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.sluice.gateway.core.config.GatewayProperties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Warms the JVM up before a gateway starts: starts a twin of it, with the same code and
 * {@link NothingBehind}, sends it made-up orders for {@code sluice.warm-up}, and closes
 * it. So the code that an order runs through is loaded and partly compiled when the
 * gateway is ready.
 * <p>
 * The twin has a context, metrics and a port of its own, and logs nothing, so none of its
 * orders, metrics or log lines is left. It has no shutdown hook, so a signal ends the JVM
 * at once. Whatever fails, the gateway starts as it would without.
 */
public final class WarmUp {

	private static final Logger logger = LoggerFactory.getLogger(WarmUp.class);

	/**
	 * Each sends one order at a time. With more, the compilers would get less of the
	 * cores.
	 */
	private static final int CONNECTIONS = 8;

	/** Only ends a hang: the twin answers within its own time limits. */
	private static final int ANSWER_MILLIS = 30_000;

	private static final String ORDER = """
			{"customerId":"warm-up","items":[\
			{"sku":"sku-1","quantity":2,"unitPrice":{"amount":"19.90","currency":"EUR"}}]}""";

	/**
	 * What the twin must not share with the gateway, and what would refuse its orders.
	 */
	private static final Map<String, Object> PROPERTIES = Map.of("server.port", 0, "server.address", "127.0.0.1",
			"server.ssl.enabled", false, "management.server.port", -1, "management.metrics.use-global-registry", false,
			"logging.config", "classpath:dev/sluice/gateway/core/warmup/silent.xml", "sluice.client-limit", 0,
			"sluice.drain-time", "0s", "spring.reactor.netty.shutdown-quiet-period", "0s");

	private final AtomicInteger orders = new AtomicInteger();

	private volatile @Nullable Throwable failure;

	private WarmUp() {
	}

	/**
	 * Returns when the gateway may start.
	 * @param application the gateway
	 * @param args the arguments of its command line
	 */
	public static WarmUp run(Class<?> application, String... args) {
		WarmUp warmUp = new WarmUp();
		try {
			Duration time = time(args);
			if (time.isPositive()) {
				warmUp.run(time, application, args);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException | Error ex) {
			warmUp.failure = ex;
		}
		return warmUp;
	}

	private static Duration time(String... args) {
		ConfigurableEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(args));
		ConfigDataEnvironmentPostProcessor.applyTo(environment);
		return Binder.get(environment).bindOrCreate("sluice", GatewayProperties.class).warmUp();
	}

	private void run(Duration time, Class<?> application, String... args) throws InterruptedException {
		try (ConfigurableApplicationContext twin = twin(application).run(args)) {
			int port = twin.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			long endNanos = System.nanoTime() + time.toNanos();
			List<Thread> clients = IntStream.range(0, CONNECTIONS)
				.mapToObj((number) -> Thread.ofPlatform()
					.daemon()
					.name("warm-up-" + number)
					.start(() -> place(port, number, endNanos)))
				.toList();
			for (Thread client : clients) {
				client.join();
			}
		}
	}

	private static SpringApplication twin(Class<?> application) {
		SpringApplication twin = new SpringApplication(application, NothingBehind.class) {

			@Override
			protected void configurePropertySources(ConfigurableEnvironment environment, String[] args) {
				super.configurePropertySources(environment, args);
				environment.getPropertySources().addFirst(new MapPropertySource("warm-up", PROPERTIES));
			}

		};
		twin.setRegisterShutdownHook(false);
		return twin;
	}

	/**
	 * Places orders over one connection, at least one. Those of every other connection
	 * have a key.
	 */
	private void place(int port, int number, long endNanos) {
		String key = (number % 2 == 0) ? "" : "Idempotency-Key: \"warm-up-%s\"\r\n".formatted(number);
		byte[] request = ("POST /orders HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
				+ "Prefer: respond-async\r\n%sContent-Length: %s\r\n\r\n%s")
			.formatted(key, ORDER.length(), ORDER)
			.getBytes(StandardCharsets.US_ASCII);
		byte[] answer = new byte[4096];
		try (Socket socket = new Socket("127.0.0.1", port)) {
			socket.setTcpNoDelay(true);
			socket.setSoTimeout(ANSWER_MILLIS);
			InputStream in = socket.getInputStream();
			do {
				socket.getOutputStream().write(request);
				int length = in.read(answer);
				while (length > 0 && !isEnd(answer, length)) {
					length = in.read(answer);
				}
				if (length < 0) {
					throw new EOFException();
				}
				this.orders.incrementAndGet();
			}
			while (endNanos - System.nanoTime() > 0);
		}
		catch (IOException | RuntimeException | Error ex) {
			this.failure = ex;
		}
	}

	/** An answer is a JSON object, whose length is given or which is in chunks. */
	private static boolean isEnd(byte[] answer, int length) {
		return answer[length - 1] == '}' || length > 4 && answer[length - 1] == '\n' && answer[length - 5] == '0';
	}

	/** Number of orders that were answered. */
	int orders() {
		return this.orders.get();
	}

	/**
	 * Logs what was done. Call it when the gateway has started: until then the log is
	 * off.
	 */
	public void log() {
		Throwable ended = this.failure;
		if (ended != null) {
			logger.debug("The warm-up ended early, after {} made-up orders", this.orders, ended);
		}
		else if (this.orders.get() > 0) {
			logger.info("Warmed up with {} made-up orders (sluice.warm-up)", this.orders);
		}
	}

}
