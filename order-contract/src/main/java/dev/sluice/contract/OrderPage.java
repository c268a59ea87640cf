package dev.sluice.contract;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * Some of many orders: the body of {@code GET /orders}.
 *
 * @param orders in the order in which they came to their status; copied
 * @param next what {@code after} must be for those that follow; null if there are none
 */
@JsonInclude(Include.NON_NULL)
public record OrderPage(List<OrderView> orders, @Nullable String next) {

	public OrderPage {
		orders = List.copyOf(orders);
	}

}
