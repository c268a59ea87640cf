package dev.sluice.sink.reader;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;

import dev.sluice.docs.GeneratedTable;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class ExampleConsumerMetricTests {

	@Test
	void standInTheDocumentAsTheyAre() throws IOException {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		// It consumes nothing, so it needs no reader.
		new ExampleConsumer(null, (_) -> {
		}, (_) -> {
		}, registry, System::nanoTime);
		GeneratedTable table = new GeneratedTable(Path.of("../docs/metrics.md"), "sink-reader", "metric", "unit",
				"tags", "meaning");
		registry.getMeters()
			.stream()
			.map(Meter::getId)
			.sorted(Comparator.comparing(Meter.Id::getName))
			.forEach((id) -> table.row("`%s`".formatted(id.getName()),
					ExampleConsumer.LAG.equals(id.getName()) ? "offsets" : "messages", "",
					String.valueOf(id.getDescription())));
		table.check();
	}

}
