package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.measure.OrderCalls.OrderTimes;
import dev.sluice.lab.kit.measure.OrderCalls.OrderTimes.Times;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class OrderCallsTests {

	@TempDir
	private Path directory;

	/** The first order is accepted at its second try, the second one never. */
	private final OrderCalls calls = new OrderCalls(List.of(new Call(0, 1_000, 1_100, 3_600, "HTTP 503 overloaded"),
			new Call(1, 2_000, 9_000, 9_001, "no answer"), new Call(0, 1_000, 4_000, 5_499, "202")));

	@Test
	void areReadAsTheyWereWritten() throws IOException {
		Path file = this.directory.resolve("sync 10");

		OrderCalls.write(file, this.calls.calls());

		assertThat(OrderCalls.read(file)).isEqualTo(this.calls);
	}

	@ParameterizedTest
	@ValueSource(strings = { "order,due_us\n0,1,2,3,201\n", "order,due_us,sent_us,ended_us,result\n0,1,2\n",
			"order,due_us,sent_us,ended_us,result\n0,1,x,3,201\n" })
	void aDamagedFileIsRefused(String text) throws IOException {
		Path file = this.directory.resolve("x.gz");
		try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
			out.write(text.getBytes(StandardCharsets.US_ASCII));
		}

		assertThatIOException().isThrownBy(() -> OrderCalls.read(file)).withMessageContaining(file.toString());
	}

	@ParameterizedTest
	@CsvSource(nullValues = "null", textBlock = """
			201,  null,                               201
			503,  null,                               HTTP 503
			503,  urn:sluice:problem:shutting-down,   HTTP 503 shutting-down
			429,  https://a.example/problems/too-many, HTTP 429 too-many
			502,  about:blank,                        HTTP 502
			null, null,                               no answer
			""")
	void aFailureIsNamedByStatusAndTypeOfProblem(Integer status, String type, String result) {
		assertThat(Call.result(status, type)).isEqualTo(result);
	}

	@Test
	void failuresAreCountedByCauseAndOthersHaveALatency() {
		assertThat(this.calls.failures()).containsOnly(Map.entry("HTTP 503 overloaded", 1L),
				Map.entry("no answer", 1L));
		assertThat(this.calls.answeredMicros()).as("rounded").containsExactly(1_000);
	}

	@Test
	void anOrderIsDueBeforeItsFirstCallAndAcceptedByItsLast() throws IOException {
		OrderTimes times = this.calls.times((order) -> new UUID(0, order), Map.of(new UUID(0, 0), 6_000L));

		assertThat(times.orders()).containsExactlyInAnyOrder(new Times(0, 1_000, 5_499, 6_000),
				new Times(1, 2_000, 0, 0));

		Path file = this.directory.resolve("orders");
		times.write(file);
		assertThat(GzipCsv.read(file, "order,due_us,accepted_us,saved_us", (fields) -> String.join(" ", fields)))
			.contains("0 1000 5499 6000");
	}

	@Test
	void aScheduledOrderIsLateFromWhenItWasDueAndABurstFromItsFirst() {
		assertThat(this.calls.startLagP99Millis(phase(Extent.of(2), 1_000))).isEqualTo(7);
		assertThat(this.calls.startLagP99Millis(phase(Extent.of(2), 0))).as("9.0 after 1.1 ms").isEqualTo(7);
		assertThat(this.calls.startLagP99Millis(phase(Extent.lasting(10), 0))).as("due when a user is free").isZero();
		assertThat(new OrderCalls(List.of()).startLagP99Millis(phase(Extent.of(2), 0))).isZero();
	}

	private static Phase phase(Extent extent, double perSecond) {
		return new Phase("phase", List.of(new Target(URI.create("http://a:1"), Mode.SYNC)), extent,
				new Client(2, true, perSecond, 2), BackendBehaviour.DEFAULT, 1_000);
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
