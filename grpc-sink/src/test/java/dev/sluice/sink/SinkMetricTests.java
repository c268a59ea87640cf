package dev.sluice.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class SinkMetricTests {

	@ParameterizedTest
	@EnumSource
	void standsInTheReadmeAsItIs(SinkMetric metric) throws IOException {
		List<String> readme = Files.readAllLines(Path.of("../README.md"));

		assertThat(readme).contains(
				"| `%s` | grpc-sink | %s | %s | %s |".formatted(metric.key(), metric.unit(), "", metric.meaning()));
	}

}
