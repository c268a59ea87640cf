package dev.sluice.gateway.core.order;

import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class PageQueryTests {

	private static final UUID ID = UUID.fromString("ffffffff-0000-7000-8000-000000000001");

	@Test
	void beginsAtTheBeginningWithAHundred() {
		assertThat(parse("status=failed")).isEqualTo(new PageQuery(100, Instant.EPOCH, new UUID(0, 0)));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 1_000 })
	void takesTheLimitsAtTheEnds(int limit) {
		assertThat(parse("status=failed&limit=" + limit).limit()).isEqualTo(limit);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z" })
	void goesOnAfterAnyTimeThatTheTableHas(Instant updatedAt) {
		assertThat(parse("status=failed&after=" + PageQuery.cursorAfter(failed(updatedAt))).after())
			.isEqualTo(updatedAt);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1969-12-31T23:59:59.999999Z", "+10000-01-01T00:00:00Z" })
	void refusesATimeThatTheTableDoesNotHave(Instant updatedAt) {
		String cursor = PageQuery.cursorAfter(failed(updatedAt));

		assertThat(catchThrowableOfType(ProblemException.class, () -> parse("status=failed&after=" + cursor)).type())
			.isEqualTo(ProblemType.INVALID_REQUEST);
	}

	private static OrderView failed(Instant updatedAt) {
		return new OrderView(ID, OrderStatus.FAILED, 1, null, updatedAt, null);
	}

	private static PageQuery parse(String query) {
		MultiValueMap<String, String> parameters = UriComponentsBuilder.newInstance()
			.query(query)
			.build()
			.getQueryParams();
		return PageQuery.parse(query.isEmpty() ? new LinkedMultiValueMap<>() : parameters);
	}

}
