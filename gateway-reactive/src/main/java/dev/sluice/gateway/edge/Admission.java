package dev.sluice.gateway.edge;

import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.problem.ProblemException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Every request of the API passes here first and takes a place of {@link RequestLimit}. A
 * request whose body is being read gives up its place, see {@link BodyReader}.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class Admission implements WebFilter {

	private static final String MANAGEMENT = "/actuator/";

	private final RequestLimit limit;

	private final RequestDeadline deadline;

	Admission(RequestLimit limit, RequestDeadline deadline) {
		this.limit = limit;
		this.deadline = deadline;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		if (exchange.getRequest().getPath().value().startsWith(MANAGEMENT)) {
			return chain.filter(exchange);
		}
		return Mono.defer(() -> {
			RequestLimit.Place place = this.limit.arrive();
			Mono<Void> request = Mono.defer(() -> chain.filter(exchange))
				.contextWrite((context) -> context.put(RequestLimit.Place.class, place));
			return take(place, exchange).then(this.deadline.ended(request)).doFinally((_) -> place.close());
		});
	}

	private static Mono<Void> take(RequestLimit.Place place, ServerWebExchange exchange) {
		if (place.isTooLate()) {
			exchange.getResponse().getHeaders().set(HttpHeaders.CONNECTION, "close");
		}
		return Mono.fromRunnable(place::take);
	}

	/**
	 * Reads the body of a request, which gives up its place meanwhile.
	 * @param <T> the body
	 * @param body reads it
	 * @return the body; fails with {@link ProblemException} if no place is free
	 * afterwards
	 */
	static <T> Mono<T> whileReading(Mono<T> body) {
		return Mono.deferContextual((context) -> {
			RequestLimit.Place place = context.get(RequestLimit.Place.class);
			place.give();
			return body.doOnNext((_) -> place.take());
		});
	}

}
