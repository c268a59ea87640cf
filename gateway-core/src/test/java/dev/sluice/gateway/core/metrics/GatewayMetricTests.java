package dev.sluice.gateway.core.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class GatewayMetricTests {

	@ParameterizedTest
	@EnumSource
	void standsInTheReadmeAsItIs(GatewayMetric metric) throws IOException {
		List<String> readme = Files.readAllLines(Path.of("../README.md"));

		assertThat(readme).contains("| `%s` | gateways | %s | %s | %s |".formatted(metric.metricName(), metric.unit(),
				metric.tags(), metric.meaning()));
	}

}
