package dev.sluice.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.FileSystemResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The two gateways are twins: each has every class, test and property of the other,
 * except those that are listed here with a reason.
 */
class TwinTreeTests {

	private static final Path REACTIVE = Path.of("src");

	private static final Path SERVLET = Path.of("../gateway-servlet/src");

	/** The servlet gateway's third thread model has a package of its own. */
	private static final String SERVLET_ASYNC = "async";

	/** Thread models are a choice of the servlet gateway alone. */
	private static final Set<String> SERVLET_THREADS = Set.of("ServletProperties.java", "BlockingBackendTransport.java",
			"CarrierThreadsTests.java", "InTurn.java", "InTurnTests.java");

	/**
	 * The servlet container dispatches errors to a page; WebFlux has a handler for all.
	 */
	private static final Set<String> SERVLET_ERRORS = Set.of("ErrorPage.java");

	/** Each server gets the same limits in its own way. */
	private static final Set<String> SERVLET_CONTAINER = Set.of("ClientConnection.java", "GuardedHttp11Processor.java",
			"GuardedHttp11Protocol.java", "GuardedHttp11ProtocolTests.java");

	private static final Set<String> REACTIVE_CONTAINER = Set.of("ConnectionLimitHandler.java",
			"RequestFramingHandler.java", "RequestFramingHandlerTests.java", "Answers.java");

	/** Only event loops must not be blocked. */
	private static final Set<String> REACTIVE_LOOPS = Set.of("BlockedEventLoops.java", "EventLoopIT.java");

	/** Only Reactor throws an error instead of signalling it. */
	private static final Set<String> REACTIVE_ERRORS = Set.of("RequestDeadline.java");

	/** The servlet gateway's client skips responses of the class 1xx itself. */
	private static final Set<String> REACTIVE_CLIENT = Set.of("InformationalResponses.java",
			"InformationalResponsesTests.java");

	/** This test is needed only once. */
	private static final Set<String> REACTIVE_ONLY = Set.of("TwinTreeTests.java");

	@Test
	void haveTheSameFiles() {
		Set<String> servlet = files(SERVLET);
		Set<String> reactive = files(REACTIVE);

		assertThat(without(servlet, reactive))
			.isEqualTo(union(SERVLET_CONTAINER, union(SERVLET_THREADS, SERVLET_ERRORS)));
		assertThat(without(reactive, servlet)).isEqualTo(union(union(REACTIVE_CONTAINER, REACTIVE_CLIENT),
				union(REACTIVE_LOOPS, union(REACTIVE_ERRORS, REACTIVE_ONLY))));
	}

	@Test
	void haveTheSameProperties() {
		Set<String> servlet = keys(SERVLET);
		Set<String> reactive = keys(REACTIVE);

		assertThat(without(servlet, reactive)).allMatch((key) -> key.startsWith("server.tomcat.")
				|| key.startsWith("spring.mvc.") || key.startsWith("spring.datasource.")
				|| key.startsWith("spring.jdbc.") || key.startsWith("spring.servlet.")
				|| key.startsWith("logging.level.org.springframework.web.servlet.")
				|| key.startsWith("logging.level.org.apache.coyote.") || key.equals("management.health.db.enabled")
				|| key.equals("management.metrics.enable.tomcat.global"));
		assertThat(without(reactive, servlet)).allMatch((key) -> key.startsWith("spring.r2dbc.")
				|| key.startsWith("server.netty.") || key.startsWith("logging.level.reactor.")
				|| key.startsWith("logging.level.io.netty.") || key.equals("management.health.r2dbc.enabled"));
		assertThat(reactive).contains("spring.kafka.producer.acks", "server.port");
	}

	private static Set<String> files(Path root) {
		try (Stream<Path> files = Files.walk(root)) {
			Set<String> names = files.filter(Files::isRegularFile)
				.filter((file) -> !file.getParent().endsWith(SERVLET_ASYNC))
				.map((file) -> file.getFileName().toString())
				.collect(Collectors.toCollection(TreeSet::new));
			assertThat(names).contains("OrderController.java", "BackendClientTests.java", "application.yaml");
			return names;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Set<String> keys(Path root) {
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new FileSystemResource(root.resolve("main/resources/application.yaml")));
		Properties properties = yaml.getObject();
		assertThat(properties).isNotNull();
		return properties.keySet().stream().map(String::valueOf).collect(Collectors.toSet());
	}

	private static Set<String> without(Set<String> some, Set<String> others) {
		return some.stream().filter((name) -> !others.contains(name)).collect(Collectors.toSet());
	}

	private static Set<String> union(Set<String> some, Set<String> others) {
		return Stream.concat(some.stream(), others.stream()).collect(Collectors.toSet());
	}

}
