package dev.sluice.backend.store;

import java.util.UUID;

import dev.sluice.contract.SavedOrder;

/** How a request ends. */
public sealed interface Answer {

	/** Saved now: 201. */
	record Saved(SavedOrder order) implements Answer {
	}

	/** Saved before: 200. */
	record Repeated(SavedOrder order) implements Answer {
	}

	/** The id was saved before with another body: 422. Nothing is saved. */
	record KeyReused(UUID id) implements Answer {
	}

	/** The maximum number of orders is saved: 507. Nothing is saved. */
	record StoreFull(int orders) implements Answer {
	}

	/** The store does not answer, or not in time: 503. */
	record StoreUnavailable() implements Answer {
	}

	/** A delay without an order is over: 200. */
	record Delayed(long delayMillis) implements Answer {
	}

	/** Every worker is busy and the queue is full: 503. */
	record NoCapacity() implements Answer {
	}

	/** The rate is used up: 429 with {@code Retry-After}. */
	record Throttled(long retryAfterSeconds) implements Answer {
	}

	/** The maximum number of requests is in flight: 503. */
	record TooManyInFlight(int limit) implements Answer {
	}

	/** A fault that {@code PUT /behaviour} asks for: its status. */
	record Failed(int status) implements Answer {
	}

	/** A fault that {@code PUT /behaviour} asks for: the connection is reset. */
	record Reset() implements Answer {
	}

	/** A hanging request ends: its connection is closed without an answer. */
	record Abandoned() implements Answer {
	}

}
