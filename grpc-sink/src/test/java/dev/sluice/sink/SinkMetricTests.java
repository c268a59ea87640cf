package dev.sluice.sink;

import java.io.IOException;
import java.nio.file.Path;

import dev.sluice.docs.GeneratedTable;
import org.junit.jupiter.api.Test;

class SinkMetricTests {

	@Test
	void standInTheDocumentAsTheyAre() throws IOException {
		GeneratedTable table = new GeneratedTable(Path.of("../docs/metrics.md"), "grpc-sink", "metric", "unit", "tags",
				"meaning");
		for (SinkMetric metric : SinkMetric.values()) {
			table.row("`%s`".formatted(metric.key()), metric.unit(), "", metric.meaning());
		}
		table.check();
	}

}
