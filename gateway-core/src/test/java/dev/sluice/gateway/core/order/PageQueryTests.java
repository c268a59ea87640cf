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

	@Test
	void goesOnAfterTheLastOrder() {
		Instant updatedAt = Instant.parse("2026-11-21T10:00:00.123456Z");
		String cursor = PageQuery.cursorAfter(new OrderView(ID, OrderStatus.FAILED, 1, null, updatedAt, null));

		assertThat(cursor).matches("[A-Za-z0-9_-]{32}");
		assertThat(parse("status=failed&limit=1000&after=" + cursor)).isEqualTo(new PageQuery(1000, updatedAt, ID));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "status=", "status=Failed", "status=failed&limit=", "status=failed&limit=-1",
			"status=failed&limit=1001", "status=failed&limit=1&limit=1", "status=failed&after=",
			"status=failed&after=AAAA", "status=failed&after=f_________AAAAAAAAAAAAAAAAAAAAAA",
			"status=failed&after=__________________________AAAAAA", "status=failed&a=b" })
	void refusesWhatItCannotRead(String query) {
		ProblemException problem = catchThrowableOfType(ProblemException.class, () -> parse(query));

		assertThat(problem.type()).isEqualTo(ProblemType.INVALID_REQUEST);
	}

	private static PageQuery parse(String query) {
		MultiValueMap<String, String> parameters = UriComponentsBuilder.newInstance()
			.query(query)
			.build()
			.getQueryParams();
		return PageQuery.parse(query.isEmpty() ? new LinkedMultiValueMap<>() : parameters);
	}

}
