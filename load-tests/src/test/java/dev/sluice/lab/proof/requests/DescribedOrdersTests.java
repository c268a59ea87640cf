package dev.sluice.lab.proof.requests;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import dev.sluice.contract.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class DescribedOrdersTests {

	private static final int MANY = 2_000;

	private final DescribedOrders orders = DescribedOrders.read();

	private final Random random = new Random(7);

	@Test
	void makesOrders() {
		for (int i = 0; i < MANY; i++) {
			Order order = JsonMapper.shared().readValue(this.orders.good(this.random), Order.class);
			assertThat(order.customerId()).matches("[A-Za-z0-9._-]{1,64}");
			assertThat(order.items()).isNotEmpty()
				.allSatisfy((item) -> assertThat(item.quantity()).isBetween(1, 10_000));
		}
	}

	@Test
	void breaksEveryRuleNowAndThen() {
		Set<String> broken = new HashSet<>();
		for (int i = 0; i < MANY; i++) {
			broken.add(this.orders.broken(this.random));
		}

		assertThat(broken).hasSizeGreaterThan(MANY / 2);
		assertThat(broken).anyMatch((json) -> json.contains("\"unknown\":1"))
			.anyMatch((json) -> !json.contains("customerId"))
			.anyMatch((json) -> json.contains("\"quantity\":10001"))
			.anyMatch((json) -> json.contains("\"quantity\":0,"))
			.anyMatch((json) -> json.contains("\"items\":[]"))
			.anyMatch((json) -> json.contains("x".repeat(501)))
			.anyMatch((json) -> json.matches(".*\"currency\":\"(?![A-Z]{3}\").*"));
	}

}
