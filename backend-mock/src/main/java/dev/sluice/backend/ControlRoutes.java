package dev.sluice.backend;

import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendCount;
import dev.sluice.contract.ProblemType;
import jakarta.validation.Validator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * The routes that control and inspect the backend. They use its state on the event loop
 * only.
 */
public final class ControlRoutes {

	private final Backend backend;

	private final Validator validator;

	private final ObjectReader behaviourReader;

	private final Scheduler loop;

	public ControlRoutes(Backend backend, Validator validator, JsonMapper json, Scheduler loop) {
		this.backend = backend;
		this.validator = validator;
		this.behaviourReader = json.readerFor(BackendBehaviour.class)
			.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			// A missing number is 0, which means none for a rate and the cap.
			.without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
		this.loop = loop;
	}

	public RouterFunction<ServerResponse> routes() {
		return RouterFunctions.route()
			.GET("/orders/count",
					(_) -> onLoop(() -> this.backend.orders().totals())
						.flatMap((totals) -> ok(new BackendCount(totals.saved()))))
			.GET("/orders/{id}", this::getOrder)
			.GET("/audit/orders", (_) -> orders())
			.GET("/audit", (_) -> onLoop(this.backend::audit).flatMap(this::ok))
			.DELETE("/audit", (_) -> onLoop(this.backend::reset).then(ServerResponse.noContent().build()))
			.GET("/behaviour", (_) -> ok(this.backend.behaviour()))
			.PUT("/behaviour", this::putBehaviour)
			.onError(StoreUnavailableException.class,
					(failure, _) -> problem(Answer.problem(503, String.valueOf(failure.getMessage()))))
			.build();
	}

	/**
	 * Sends every order saved since the last {@code DELETE /audit}, 24 bytes each: its
	 * id, and the time of its save in microseconds since 1970, as big-endian longs;
	 * unsorted. One part at a time is in memory. An order that is saved meanwhile may be
	 * missing.
	 */
	private Mono<ServerResponse> orders() {
		Flux<byte[]> parts = Flux.range(0, OrderStore.PARTS)
			.concatMap((part) -> onLoop(() -> this.backend.orders().export(part)))
			.filter((part) -> part.length > 0);
		return ServerResponse.ok().contentType(MediaType.APPLICATION_OCTET_STREAM).body(parts, byte[].class);
	}

	private Mono<ServerResponse> getOrder(ServerRequest request) {
		UUID id;
		try {
			id = UUID.fromString(request.pathVariable("id"));
		}
		catch (IllegalArgumentException ex) {
			return problem(Answer.problem(ProblemType.NOT_FOUND, "An order's id is a UUID"));
		}
		return onLoop(() -> this.backend.orders().find(id)).flatMap(this::ok)
			.switchIfEmpty(
					Mono.defer(() -> problem(Answer.problem(ProblemType.NOT_FOUND, "Order " + id + " is not saved"))));
	}

	private Mono<ServerResponse> putBehaviour(ServerRequest request) {
		return request.bodyToMono(byte[].class).defaultIfEmpty(new byte[0]).flatMap((body) -> {
			BackendBehaviour behaviour;
			try {
				behaviour = this.behaviourReader.readValue(body);
			}
			catch (JacksonException ex) {
				return invalidBehaviour(List.of(JsonProblem.of(ex)));
			}
			if (behaviour == null) {
				return invalidBehaviour(List.of(new JsonProblem("", "must not be null")));
			}
			List<JsonProblem> errors = this.validator.validate(behaviour)
				.stream()
				.map((violation) -> new JsonProblem(violation.getPropertyPath().toString(), violation.getMessage()))
				.sorted(Comparator.comparing(JsonProblem::field).thenComparing(JsonProblem::message))
				.toList();
			if (!errors.isEmpty()) {
				return invalidBehaviour(errors);
			}
			return onLoop(() -> Mono.fromRunnable(() -> this.backend.behave(behaviour))).then(ok(behaviour));
		});
	}

	private static Mono<ServerResponse> invalidBehaviour(List<JsonProblem> errors) {
		ProblemDetail problem = Answer.detail(ProblemType.INVALID_REQUEST,
				"The behaviour is not valid. The current one stays");
		problem.setProperty("errors", errors);
		return problem(new Answer(problem.getStatus(), problem, 0));
	}

	private Mono<ServerResponse> ok(Object body) {
		return ServerResponse.ok().contentType(MediaType.APPLICATION_JSON).bodyValue(body);
	}

	private static Mono<ServerResponse> problem(Answer answer) {
		return ServerResponse.status(answer.status())
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyValue(answer.body());
	}

	private <T> Mono<T> onLoop(Supplier<Mono<T>> task) {
		return Mono.defer(task).subscribeOn(this.loop);
	}

}
