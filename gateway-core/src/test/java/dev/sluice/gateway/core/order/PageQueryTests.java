package dev.sluice.gateway.core.order;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import dev.sluice.contract.OrderPage;
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

	@Test
	void goesOnAfterTheLastOrder() {
		Instant updatedAt = Instant.parse("2026-11-21T10:00:00.123456Z");
		String cursor = PageQuery.cursorAfter(new OrderView(ID, OrderStatus.FAILED, 1, null, updatedAt, null));

		assertThat(cursor).matches("[A-Za-z0-9_-]{32}");
		assertThat(parse("status=failed&limit=1000&after=" + cursor)).isEqualTo(new PageQuery(1000, updatedAt, ID));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "status=", "status=Failed", "status=failed&limit=", "status=failed&limit=-1",
			"status=failed&limit=0", "status=failed&limit=1001", "status=failed&limit=1&limit=1",
			"status=failed&after=", "status=failed&after=AAAA", "status=failed&after=f_________AAAAAAAAAAAAAAAAAAAAAA",
			"status=failed&after=__________________________AAAAAA", "status=failed&a=b" })
	void refusesWhatItCannotRead(String query) {
		ProblemException problem = catchThrowableOfType(ProblemException.class, () -> parse(query));

		assertThat(problem.type()).isEqualTo(ProblemType.INVALID_REQUEST);
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

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void theLastPageHasNoNext(int size) {
		List<OrderView> found = List.of(failed(Instant.EPOCH), failed(Instant.EPOCH)).subList(0, size);

		assertThat(new PageQuery(2, Instant.EPOCH, ID).page(found)).isEqualTo(new OrderPage(found, null));
	}

	@Test
	void thePageAfterBeginsBehindTheLastOrderOfThisOne() {
		OrderView first = failed(Instant.parse("2026-11-21T10:00:00Z"));
		OrderView last = failed(Instant.parse("2026-11-21T10:00:01Z"));
		OrderView oneMore = failed(Instant.parse("2026-11-21T10:00:02Z"));

		OrderPage page = new PageQuery(2, Instant.EPOCH, ID).page(List.of(first, last, oneMore));

		assertThat(page).isEqualTo(new OrderPage(List.of(first, last), PageQuery.cursorAfter(last)));
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
