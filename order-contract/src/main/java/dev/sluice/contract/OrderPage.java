package dev.sluice.contract;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * A page of orders: the body of {@code GET /orders}.
 *
 * @param orders the orders, sorted by the time at which they reached their status; copied
 * @param next the value of {@code after} for the next page; null on the last page
 */
@JsonInclude(Include.NON_NULL)
public record OrderPage(List<OrderView> orders, @Nullable String next) {

	public OrderPage {
		orders = List.copyOf(orders);
	}

}
