package dev.sluice.backend;

import java.io.IOException;
import java.nio.file.Path;

import dev.sluice.docs.GeneratedTable;
import org.junit.jupiter.api.Test;

class BackendMetricsTests {

	@Test
	void standInTheDocumentAsTheyAre() throws IOException {
		GeneratedTable table = new GeneratedTable(Path.of("../docs/metrics.md"), "backend-mock", "metric", "unit",
				"tags", "meaning");
		for (BackendMetrics.Metric metric : BackendMetrics.Metric.values()) {
			table.row("`%s`".formatted(metric.key), metric.unit, String.join(", ", metric.tags), metric.meaning);
		}
		table.check();
	}

}
