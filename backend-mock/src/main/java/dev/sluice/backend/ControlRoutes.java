package dev.sluice.backend;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import jakarta.validation.Valid;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import tools.jackson.core.JacksonException;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.validation.BindingResult;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebInputException;

/**
 * The routes that control and inspect the backend. Like all requests, they are on the
 * only event loop.
 */
@RestController
final class ControlRoutes {

	/** Number of orders in a part of {@link #orders}. */
	private static final int PART = 4_096;

	private final Backend backend;

	private final Scheduler loop;

	ControlRoutes(Backend backend, Scheduler loop) {
		this.backend = backend;
		this.loop = loop;
	}

	@GetMapping("/orders/count")
	Mono<Map<String, Long>> count() {
		return this.backend.orders().totals().map((totals) -> Map.of("saved", totals.saved()));
	}

	@GetMapping("/orders/{id:.{36}}")
	Mono<SavedOrder> order(@PathVariable UUID id) {
		return this.backend.orders()
			.find(id)
			.switchIfEmpty(Mono.error(() -> new ErrorResponseException(HttpStatus.NOT_FOUND,
					Answer.detail(ProblemType.NOT_FOUND, "Order " + id + " is not saved"), null)));
	}

	/**
	 * Sends every order saved since the last {@code DELETE /audit}, 24 bytes each: its
	 * id, and the time of its save in microseconds since 1970, as big-endian longs;
	 * unsorted. One part at a time is in memory.
	 */
	@GetMapping(path = "/audit/orders", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
	Flux<byte[]> orders() {
		// Other requests come between two parts.
		return this.backend.orders()
			.saved()
			.buffer(PART)
			.concatMap((part) -> Mono.fromSupplier(() -> encoded(part)).subscribeOn(this.loop), 1);
	}

	private static byte[] encoded(List<SavedOrder> part) {
		ByteBuffer bytes = ByteBuffer.allocate(part.size() * 3 * Long.BYTES);
		part.forEach((order) -> bytes.putLong(order.id().getMostSignificantBits())
			.putLong(order.id().getLeastSignificantBits())
			.putLong(OrderStore.micros(order.savedAt())));
		return bytes.array();
	}

	@GetMapping("/audit")
	Mono<BackendAudit> audit() {
		return this.backend.orders().audit();
	}

	@DeleteMapping("/audit")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	Mono<Void> reset() {
		return this.backend.reset();
	}

	@GetMapping("/behaviour")
	BackendBehaviour behaviour() {
		return this.backend.behaviour();
	}

	@PutMapping("/behaviour")
	BackendBehaviour behave(@Valid @RequestBody BackendBehaviour behaviour) {
		this.backend.behave(behaviour);
		return behaviour;
	}

	@ExceptionHandler
	ProblemDetail invalid(ServerWebInputException failure) {
		return Answer.detail(ProblemType.INVALID_REQUEST, "The behaviour stays as it is: " + why(failure));
	}

	private static String why(ServerWebInputException failure) {
		if (failure instanceof BindingResult invalid) {
			return invalid.getFieldErrors()
				.stream()
				.map((error) -> error.getField() + ": " + error.getDefaultMessage())
				.sorted()
				.collect(Collectors.joining("; "));
		}
		Throwable decoding = failure.getCause();
		return (decoding != null && decoding.getCause() instanceof JacksonException unreadable)
				? Answer.reason(unreadable) : "there is none in the request";
	}

}
