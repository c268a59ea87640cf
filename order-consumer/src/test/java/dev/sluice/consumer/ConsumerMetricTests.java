package dev.sluice.consumer;

import java.io.IOException;
import java.nio.file.Path;

import dev.sluice.docs.GeneratedTable;
import org.junit.jupiter.api.Test;

class ConsumerMetricTests {

	@Test
	void standInTheDocumentAsTheyAre() throws IOException {
		GeneratedTable table = new GeneratedTable(Path.of("../docs/metrics.md"), "order-consumer", "metric", "unit",
				"tags", "meaning");
		for (ConsumerMetric metric : ConsumerMetric.values()) {
			table.row("`%s`".formatted(metric.metricName()), metric.unit(), metric.tags(), metric.meaning());
		}
		table.check();
	}

}
