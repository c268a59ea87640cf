package dev.sluice.gateway.core.metrics;

import java.io.IOException;
import java.nio.file.Path;

import dev.sluice.docs.GeneratedTable;
import org.junit.jupiter.api.Test;

class GatewayMetricTests {

	@Test
	void standInTheDocumentAsTheyAre() throws IOException {
		GeneratedTable table = new GeneratedTable(Path.of("../docs/metrics.md"), "gateways", "metric", "unit", "tags",
				"meaning");
		for (GatewayMetric metric : GatewayMetric.values()) {
			table.row("`%s`".formatted(metric.metricName()), metric.unit(), metric.tags(), metric.meaning());
		}
		table.check();
	}

}
