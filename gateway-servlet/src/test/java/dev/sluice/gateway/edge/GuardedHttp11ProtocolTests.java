package dev.sluice.gateway.edge;

import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;

import javax.management.MBeanServer;
import javax.management.ObjectName;

import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.limit.RequestLimits;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

class GuardedHttp11ProtocolTests {

	private final GuardedHttp11Protocol protocol = new GuardedHttp11Protocol();

	@TempDir
	private Path directory;

	/** Tomcat would do so for each new connection, under one lock. */
	@Test
	void registersNoProcessorAsMBean() throws Exception {
		MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
		Connector connector = new Connector(this.protocol);
		connector.setPort(0);
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		ConnectionProperties connections = properties(ConnectionProperties.class);
		this.protocol.limit(connector, 8192,
				RequestLimits.of(properties(GatewayProperties.class), connections, meters));
		Tomcat tomcat = new Tomcat();
		tomcat.setBaseDir(this.directory.toString());
		tomcat.setConnector(connector);
		tomcat.addContext("", this.directory.toString());
		tomcat.start();
		try (HttpClient client = HttpClient.newHttpClient()) {
			HttpRequest request = HttpRequest
				.newBuilder(URI.create("http://127.0.0.1:%s/".formatted(connector.getLocalPort())))
				.timeout(Patience.ofSeconds(60))
				.build();

			assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(404);

			String domain = tomcat.getEngine().getDomain();
			assertThat(beans.queryNames(new ObjectName(domain + ":type=RequestProcessor,*"), null)).isEmpty();
			assertThat(beans.queryNames(new ObjectName(domain + ":type=ThreadPool,*"), null)).isNotEmpty();
		}
		finally {
			tomcat.stop();
			tomcat.destroy();
		}
	}

	private static <T> T properties(Class<T> type) {
		return new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate("sluice", type);
	}

}
