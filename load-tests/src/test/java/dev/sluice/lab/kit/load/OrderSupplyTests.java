package dev.sluice.lab.kit.load;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.Order;
import dev.sluice.lab.kit.plan.LoadPlan.Client;
import dev.sluice.lab.kit.measure.OrderTimes;
import dev.sluice.lab.kit.measure.OrderTimes.Times;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.LoadPlan.Target;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class OrderSupplyTests {

	private static final URI GATEWAY = URI.create("http://127.0.0.1:1");

	@Test
	void handsOutEachOrderOnce() {
		OrderSupply supply = supply(2, 60_000);

		assertThat(supply.take()).isZero();
		assertThat(supply.take()).isOne();
		assertThat(supply.take()).isEqualTo(OrderSupply.NONE);
		assertThat(supply.take()).isEqualTo(OrderSupply.NONE);
	}

	@Test
	void anOrderHasOneKeyAndOneBodyHoweverOftenItIsTried() {
		OrderSupply supply = supply(2, 60_000);

		assertThat(supply.key(1)).isEqualTo("\"token-sync-unlimited-2-1\"");
		assertThat(supply.key(0)).isNotEqualTo(supply.key(1));
		assertThat(supply.body(1)).isEqualTo(supply.body(1));
		Order order = JsonMapper.builder().build().readValue(supply.body(1), Order.class);
		assertThat(order.customerId()).isEqualTo("customer-1");
		assertThat(order.items()).hasSize(2);
	}

	@Test
	void ordersHaveAsManyItemsAsTheClientWants() {
		OrderSupply supply = new OrderSupply("token", GATEWAY, phase(2, 60_000).with(Client.USUAL.placing(0, 100)));

		Order order = JsonMapper.builder().build().readValue(supply.body(1), Order.class);

		assertThat(order.items()).hasSize(100);
		assertThat(supply.body(1)).hasSizeGreaterThan(7_500);
	}

	@Test
	void ordersByTheClockAreDueOneAfterAnother() {
		OrderSupply supply = new OrderSupply("token", GATEWAY,
				phase(7_200, 60_000).with(Client.USUAL.placing(0.001, 2)));

		assertThat(supply.untilDue(0)).isZero();
		assertThat(supply.untilDue(7_199)).isBetween(Duration.ofSeconds(7_198_000), Duration.ofSeconds(7_199_000));
	}

	@Test
	void notesHowLateOrdersAreBegun() {
		OrderSupply supply = new OrderSupply("token", GATEWAY,
				phase(100, 60_000).with(Client.USUAL.placing(1_000_000_000, 2)));
		assertThat(supply.startLagP99Millis()).isZero();
		supply.begun(0);
		Awaitility.await().until(() -> {
			supply.begun(1);
			return supply.startLagP99Millis() > 0;
		});
	}

	@Test
	void aPhaseWithATimeEndsWithTheTimeAndTheOrdersWhicheverIsLater() {
		OrderSupply brief = timed(3, 1);
		OrderSupply forever = timed(1, 60_000);

		Awaitility.await().until(() -> brief.take() == OrderSupply.NONE);
		assertThat(brief.placedCount()).isGreaterThanOrEqualTo(3);
		assertThat(List.of(forever.take(), forever.take(), forever.take())).containsExactly(0, 1, 2);
		forever.stop();
		assertThat(forever.take()).isEqualTo(OrderSupply.NONE);
		assertThat(forever.placedCount()).isEqualTo(3);
	}

	@Test
	void aPhaseWithATimeIsSavedWhenWhatWasAcceptedIs() {
		OrderSupply supply = timed(5, 60_000);
		supply.accepted(supply.take(), 1);
		supply.take();

		assertThat(supply.isSaved(0)).isFalse();
		assertThat(supply.isSaved(1)).isTrue();
	}

	@Test
	void aTimedPhaseEndsEarlyWithItsGreatestBacklogButNotBeforeItsLeastOrders() {
		OrderSupply supply = new OrderSupply("token", GATEWAY, phase(4, 60_000).lasting(60_000).withBacklogUpTo(2));
		supply.start();
		for (int order = 0; order < 3; order++) {
			supply.accepted(supply.take(), supply.begun(order));
		}

		supply.watchBacklog(0);
		assertThat(supply.isEnough()).as("backlog of 3, fewer orders than the least").isFalse();

		supply.accepted(supply.take(), supply.begun(3));
		supply.watchBacklog(3);
		assertThat(supply.isEnough()).as("backlog of 1").isFalse();
		supply.watchBacklog(2);
		assertThat(supply.take()).as("backlog of 2").isEqualTo(OrderSupply.NONE);
	}

	@Test
	void ordersGoToTheTargetsByTurns() {
		OrderSupply supply = new OrderSupply("token", GATEWAY, phase(4, 60_000).at(List
			.of(new Target(URI.create("http://a:1"), Mode.SYNC), new Target(URI.create("http://b:2"), Mode.QUEUED))));

		assertThat(List.of(supply.url(0), supply.url(1), supply.url(2))).containsExactly("http://a:1/orders",
				"http://b:2/orders", "http://a:1/orders");
		assertThat(List.of(supply.mode(0), supply.mode(1))).containsExactly(Mode.SYNC, Mode.QUEUED);
		assertThat(supply(1, 60_000).url(0)).isEqualTo("http://127.0.0.1:1/orders");
	}

	@Test
	void knowsWhenEachOrderWasDueAcceptedAndSaved() {
		OrderSupply supply = supply(2, 0);
		supply.start();
		long due = supply.begun(0);
		supply.accepted(0, due);
		supply.failed(1, due, 1);

		OrderTimes times = supply.times(Map.of(OrderId.of("customer-0", "token-sync-unlimited-2-0"), due + 50));

		assertThat(times.orders()).hasSize(2);
		assertThat(times.orders().getFirst()).satisfies((order) -> {
			assertThat(order.due()).isEqualTo(due);
			assertThat(order.accepted()).isGreaterThanOrEqualTo(due);
			assertThat(order.saved()).isEqualTo(due + 50);
		});
		assertThat(times.orders().getLast()).isEqualTo(new Times(1, due, 0, 0));
	}

	@Test
	void triesAgainUntilTheTriesAreUsedUp() {
		OrderSupply supply = supply(1, 60_000);
		supply.start();

		assertThat(supply.failed(0, 0, 1)).isTrue();
		assertThat(supply.failed(0, 0, OrderSupply.MAX_TRIES - 1)).isTrue();
		assertThat(supply.failed(0, 0, OrderSupply.MAX_TRIES)).isFalse();
		assertThat(supply.givenUpCount()).isOne();
	}

	@Test
	void triesNoMoreAfterTheDeadline() {
		OrderSupply supply = supply(1, 0);
		supply.start();

		assertThat(supply.isOver()).isTrue();
		assertThat(supply.failed(0, 0, 1)).isFalse();
	}

	@Test
	void isCleanOnlyIfNothingFailedAndAllIsSaved() {
		OrderSupply clean = supply(2, 60_000);
		clean.ended(2);
		OrderSupply incomplete = supply(2, 60_000);
		incomplete.ended(1);
		OrderSupply refused = supply(2, 60_000);
		refused.start();
		refused.failed(0, 0, 1);
		refused.ended(2);

		assertThat(clean.isClean()).isTrue();
		assertThat(incomplete.isClean()).isFalse();
		assertThat(refused.isClean()).isFalse();
	}

	@Test
	void waitsLongerWithEachTryUpToALimit() {
		assertThat(OrderSupply.pauseMillis(1, 0)).isEqualTo(50);
		assertThat(OrderSupply.pauseMillis(1, 1)).isEqualTo(100);
		assertThat(OrderSupply.pauseMillis(2, 1)).isEqualTo(200);
		assertThat(OrderSupply.pauseMillis(90, 1)).isEqualTo(1_600);
	}

	private static OrderSupply timed(int orders, long millis) {
		OrderSupply supply = new OrderSupply("token", GATEWAY, phase(orders, 60_000).lasting(millis));
		supply.start();
		return supply;
	}

	private static OrderSupply supply(int orders, long deadlineMillis) {
		return new OrderSupply("token", GATEWAY, phase(orders, deadlineMillis));
	}

	private static Phase phase(int orders, long deadlineMillis) {
		return new Phase("sync unlimited 2", Mode.SYNC, orders, 10, BackendBehaviour.DEFAULT, deadlineMillis, true);
	}

}
