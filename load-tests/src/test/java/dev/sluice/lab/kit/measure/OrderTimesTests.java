package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.measure.OrderTimes.Times;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class OrderTimesTests {

	@TempDir
	private Path directory;

	@Test
	void isReadAsItWasWritten() throws IOException {
		OrderTimes times = new OrderTimes(List.of(new Times(0, 1_000, 2_000, 3_000), new Times(1, 1_500, 0, 0)));
		Path file = OrderTimes.file(this.directory, "sync 10");

		times.write(file);

		assertThat(OrderTimes.read(file)).isEqualTo(times);
	}

	/** The clocks of a client and of the backend may differ. */
	@Test
	void anOrderSavedBeforeItWasDueHasNotWaited() {
		OrderTimes times = new OrderTimes(Collections.nCopies(20, new Times(0, 5_000, 4_000, 3_000)));

		assertThat(times.toSaved()).isEqualTo(new Wait(20, 0, 0.0, null, null));
	}

	@Test
	void aPercentileNeedsTenOrdersAboveIt() {
		assertThat(of(1_000, 1_000).toSaved()).isEqualTo(new Wait(1_000, 0, 500.0, 950.0, 990.0));
		assertThat(of(999, 999).toSaved()).isEqualTo(new Wait(999, 0, 500.0, 950.0, null));
		assertThat(of(199, 199).toSaved()).isEqualTo(new Wait(199, 0, 100.0, null, null));
		assertThat(of(19, 19).toSaved()).isEqualTo(new Wait(19, 0, null, null, null));
		assertThat(new OrderTimes(List.of()).toSaved()).isNull();
	}

	/** They would be the best of all if they were left out. */
	@Test
	void ordersThatWereNeverSavedAreTheLast() {
		assertThat(of(1_000, 970).toSaved()).isEqualTo(new Wait(1_000, 30, 500.0, 950.0, null));
		assertThat(of(1_000, 970).toAccepted()).isEqualTo(new Wait(1_000, 0, 1.0, 1.0, 1.0));
	}

	/** Each waits a millisecond longer than the one before. */
	private static OrderTimes of(int orders, int saved) {
		return new OrderTimes(IntStream.range(0, orders)
			.mapToObj((i) -> new Times(i, 5_000, 6_000, (i < saved) ? 5_000 + (i + 1) * 1_000L : 0))
			.toList());
	}

}
