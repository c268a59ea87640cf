package dev.sluice.lab.kit.load;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.Order;
import dev.sluice.lab.kit.load.OrderSupply.Counts;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OrderSupplyTests {

	private static final Target TARGET = new Target(URI.create("http://127.0.0.1:1"), Mode.SYNC);

	@Test
	void handsOutEachOrderOnce() {
		OrderSupply supply = supply(Extent.of(2), 60_000);

		assertThat(List.of(supply.take(), supply.take(), supply.take(), supply.take())).containsExactly(0, 1,
				OrderSupply.NONE, OrderSupply.NONE);
		assertThat(supply.counts()).isEqualTo(new Counts(2, 0, 0));
	}

	@Test
	void anOrderHasOneKeyAndOneBodyHoweverOftenItIsTried() {
		OrderSupply supply = supply(Extent.of(2), 60_000);

		assertThat(supply.key(1)).isEqualTo("\"token-sync-unlimited-2-1\"");
		assertThat(supply.key(0)).isNotEqualTo(supply.key(1));
		assertThat(supply.body(1)).isEqualTo(supply.body(1));
		Order order = order(supply);
		assertThat(order.customerId()).isEqualTo("customer-1");
		assertThat(order.items()).hasSize(2);
	}

	@Test
	void ordersHaveAsManyItemsAsTheClientWants() {
		OrderSupply supply = supply(List.of(TARGET), Extent.of(2), new Client(1, true, 0, 100), null);

		assertThat(order(supply).items()).hasSize(100);
		assertThat(supply.body(1)).hasSizeGreaterThan(7_500);
	}

	@Test
	void ordersByTheClockAreDueOneAfterAnother() {
		OrderSupply supply = supply(List.of(TARGET), Extent.of(7_200), new Client(1, true, 0.001, 2), null);
		supply.take();

		assertThat(supply.untilDue(0)).isZero();
		assertThat(supply.untilDue(7_199)).isBetween(Duration.ofSeconds(7_198_000), Duration.ofSeconds(7_199_000));
		assertThat(supply.due(1) - supply.due(0)).isEqualTo(1_000_000_000);
	}

	@Test
	void ordersForATimeEndWithTheTimeAndTheirLeastNumberWhicheverIsLater() {
		OrderSupply brief = supply(new Extent(3, 1, 0), 60_000);
		OrderSupply forever = supply(new Extent(1, 60_000, 0), 60_000);

		Awaitility.await().until(() -> brief.take() == OrderSupply.NONE);
		assertThat(brief.counts().placed()).isGreaterThanOrEqualTo(3);
		assertThat(List.of(forever.take(), forever.take(), forever.take())).containsExactly(0, 1, 2);
		forever.stop();
		assertThat(forever.take()).isEqualTo(OrderSupply.NONE);
		assertThat(forever.counts().placed()).isEqualTo(3);
	}

	@Test
	void ordersGoToTheTargetsByTurns() {
		OrderSupply supply = supply(List.of(new Target(URI.create("http://a:1"), Mode.SYNC),
				new Target(URI.create("http://b:2"), Mode.QUEUED)), Extent.of(4), Client.of(1), null);

		assertThat(List.of(supply.url(0), supply.url(1), supply.url(2))).containsExactly("http://a:1/orders",
				"http://b:2/orders", "http://a:1/orders");
		assertThat(List.of(supply.mode(0), supply.mode(1))).containsExactly(Mode.SYNC, Mode.QUEUED);
	}

	@Test
	void triesAgainUntilTheTriesAreUsedUp() {
		OrderSupply supply = supply(Extent.of(1), 60_000);
		supply.take();

		assertThat(supply.ended(call("no answer"), 1)).isTrue();
		assertThat(supply.ended(call("no answer"), OrderSupply.MAX_TRIES - 1)).isTrue();
		assertThat(supply.ended(call("no answer"), OrderSupply.MAX_TRIES)).isFalse();
		assertThat(supply.counts()).isEqualTo(new Counts(1, 0, 3));
	}

	@Test
	void triesNoMoreAfterTheDeadline() {
		OrderSupply supply = supply(Extent.of(1), 0);
		supply.take();

		assertThat(supply.ended(call("no answer"), 1)).isFalse();
	}

	@Test
	void writesTheCallsIfSomebodyWantsThem(@TempDir Path directory) throws Exception {
		Path notes = directory.resolve("notes");
		OrderSupply supply = supply(List.of(TARGET), Extent.of(1), Client.of(1), notes);

		assertThat(supply.ended(call("201"), 1)).isFalse();
		supply.writeNotes();

		assertThat(OrderCalls.read(notes).calls()).containsExactly(call("201"));
		assertThat(supply.counts().accepted()).isOne();
	}

	@Test
	void waitsLongerWithEachTryUpToALimit() {
		assertThat(OrderSupply.pauseMillis(1, 0)).isEqualTo(50);
		assertThat(OrderSupply.pauseMillis(1, 1)).isEqualTo(100);
		assertThat(OrderSupply.pauseMillis(2, 1)).isEqualTo(200);
		assertThat(OrderSupply.pauseMillis(90, 1)).isEqualTo(1_600);
	}

	private static Order order(OrderSupply supply) {
		return JsonMapper.builder().build().readValue(supply.body(1), Order.class);
	}

	private static Call call(String result) {
		return new Call(0, 1, 2, 3, result);
	}

	private static OrderSupply supply(Extent extent, long deadlineMillis) {
		return supply(List.of(TARGET), extent, Client.of(10), deadlineMillis, null);
	}

	private static OrderSupply supply(List<Target> targets, Extent extent, Client client, @Nullable Path notes) {
		return supply(targets, extent, client, 60_000, notes);
	}

	private static OrderSupply supply(List<Target> targets, Extent extent, Client client, long deadlineMillis,
			@Nullable Path notes) {
		Phase phase = new Phase("sync unlimited 2", targets, extent, client, BackendBehaviour.DEFAULT, deadlineMillis);
		return new OrderSupply(new LoadParameters(phase, "token", notes, 100, null));
	}

	@Test
	void everyPropertyIsRead() {
		Properties properties = new Properties();
		properties.putAll(Map.of("name", "sync 30", "token", "token", "targets", "sync@http://a:1,queued@https://b:2",
				"orders", "30", "seconds", "1.5", "users", "8", "keep-alive", "false", "rate", "12.5", "items", "3"));
		properties.putAll(Map.of("deadline", "45", "notes", "/a b/notes.gz", "max-failed", "5", "max-p99", "200"));

		LoadParameters read = LoadParameters.of(properties);

		Phase phase = new Phase("sync 30",
				List.of(new Target(URI.create("http://a:1"), Mode.SYNC),
						new Target(URI.create("https://b:2"), Mode.QUEUED)),
				new Extent(30, 1_500, 0), new Client(8, false, 12.5, 3), BackendBehaviour.DEFAULT, 45_000);
		LoadParameters parameters = new LoadParameters(phase, "token", Path.of("/a b/notes.gz"), 5, 200);
		assertThat(read).isEqualTo(parameters);
		JsonMapper json = JsonMapper.shared();
		assertThat(json.readValue(json.writeValueAsString(read), LoadParameters.class)).isEqualTo(parameters);
	}

	@Test
	void byDefaultOrdersGoToTheServletGatewayAndNoneMayFail() {
		LoadParameters parameters = LoadParameters.of(new Properties());

		assertThat(parameters.phase().targets())
			.containsExactly(new Target(URI.create("http://127.0.0.1:8080"), Mode.SYNC));
		assertThat(parameters.phase().extent()).isEqualTo(Extent.of(1_000));
		assertThat(parameters.maxFailed()).isZero();
		assertThat(parameters.notes()).isNull();
	}

	@Test
	void aTargetNeedsAMode() {
		Properties properties = new Properties();
		properties.put("targets", "http://127.0.0.1:8080");

		assertThatIllegalArgumentException().isThrownBy(() -> LoadParameters.of(properties))
			.withMessageContaining("mode@url");
	}

}
