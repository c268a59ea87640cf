package dev.sluice.lab.kit.plan;

import java.util.Currency;
import java.util.List;

import dev.sluice.contract.Money;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderItem;

/** Orders that experiments place. */
public final class SampleOrder {

	private SampleOrder() {
	}

	/** An order with one item of quantity 1. */
	public static Order of(String customer) {
		return of(customer, "sku-1", 1);
	}

	/** An order with one item. */
	public static Order of(String customer, String sku, int quantity) {
		return new Order(customer,
				List.of(new OrderItem(sku, quantity, new Money("19.99", Currency.getInstance("EUR")))), null);
	}

}
