package dev.sluice.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import dev.sluice.lab.kit.plan.OrderIdentity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Invented histories: when orders were sent, accepted and saved. */
class OrderPerCustomerTests {

	private static final Answer ACCEPTED = Answer.of(202, null);

	private static final int ORDERS = 6;

	@TempDir
	private Path directory;

	/** The customer of order 0 also has 2 and 4. */
	private final OrderIdentity identity = new OrderIdentity("ordering", 2);

	private final long[] savedMicros = new long[ORDERS];

	private OrderLedger ledger;

	@BeforeEach
	void open() throws IOException {
		Arrays.fill(this.savedMicros, LedgerAudit.NOT_SAVED);
		this.ledger = new OrderLedger(ORDERS, 0, this.directory.resolve("attempts.csv"));
	}

	@AfterEach
	void close() throws IOException {
		this.ledger.close();
	}

	@Test
	void comparesTheOrdersOfEachCustomer() {
		for (int order = 0; order < ORDERS; order++) {
			accept(order, order * 100, 10);
			// The other customer's orders are saved before all of these.
			this.savedMicros[order] = order + ((order % 2 == 0) ? 1_000 : 0);
		}

		OrderPerCustomer found = found();

		assertThat(found.compared()).isEqualTo(4);
		assertThat(found.overtaking()).isEmpty();
	}

	/** Also one that was accepted long before. */
	@ParameterizedTest
	@CsvSource({ "3000, 1000, 2000, 2 4", "2000, 3000, 2500, 4" })
	void namesEachOrderThatOvertook(long first, long second, long third, String overtaking) {
		accept(0, 0, 10);
		accept(2, 100, 10);
		accept(4, 200, 10);
		save(0, first);
		save(2, second);
		save(4, third);

		assertThat(found().overtaking())
			.isEqualTo(Stream.of(overtaking.split(" ")).map((order) -> line(Integer.parseInt(order))).toList());
	}

	@Test
	void hasNoOrderWhereTheFirstWasNotAcceptedYet() {
		accept(0, 0, 150);
		// The answer to the first may have come in the same millisecond.
		accept(2, 151, 10);
		save(0, 2_000);
		save(2, 1_000);

		OrderPerCustomer found = found();

		assertThat(found.compared()).isZero();
		assertThat(found.overtaking()).isEmpty();
	}

	@Test
	void countsFromTheFirstTimeThatAnOrderWasSent() {
		this.ledger.enter(2, 1, "a", 5, 1, Answer.TIMEOUT);
		accept(0, 0, 10);
		this.ledger.enter(2, 2, "b", 100, 1, ACCEPTED);
		save(0, 2_000);
		save(2, 1_000);

		assertThat(found().compared()).isZero();
	}

	@Test
	void leavesOutWhatWasNotAcceptedOrNotSavedOrNotQueued() throws IOException {
		accept(0, 0, 10);
		this.ledger.enter(2, 1, "a", 100, 10, Answer.TIMEOUT);
		accept(4, 200, 10);
		save(0, 2_000);
		save(2, 1_000);

		assertThat(found().compared()).isZero();

		try (OrderLedger sync = new OrderLedger(ORDERS, 1, this.directory.resolve("sync.csv"))) {
			sync.enter(0, 1, "a", 0, 10, Answer.of(201, null));
			sync.enter(2, 1, "a", 100, 10, Answer.of(201, null));
			assertThat(OrderPerCustomer.of(sync, this.identity, (_) -> 1).compared()).isZero();
		}
	}

	private OrderPerCustomer found() {
		return OrderPerCustomer.of(this.ledger, this.identity, (order) -> this.savedMicros[order]);
	}

	private void accept(int order, int sentMillis, int tookMillis) {
		this.ledger.enter(order, 1, "a", sentMillis, tookMillis, ACCEPTED);
	}

	private void save(int order, long micros) {
		this.savedMicros[order] = micros;
	}

	private String line(int order) {
		return "%s,overtook an order accepted before,%s".formatted(this.identity.id(order), order);
	}

}
