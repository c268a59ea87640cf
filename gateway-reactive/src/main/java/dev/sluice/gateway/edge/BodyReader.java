package dev.sluice.gateway.edge;

import java.util.concurrent.TimeoutException;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.http.BodyMemory;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.StandardProblem;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Reads the bodies of requests, within the limits of {@link BodyMemory}. No thread waits
 * for a body.
 */
@Component
public final class BodyReader {

	private static final int PREFETCH = 16;

	private final BodyMemory memory;

	BodyReader(BodyMemory memory) {
		this.memory = memory;
	}

	/**
	 * Reads the body of a request, which has no place of {@link RequestLimit} meanwhile.
	 * @param request the request
	 * @return the whole body; fails with {@link ProblemException} if it is too large, too
	 * slow, ill-formed or cut off, or if there is no memory for it or no place afterwards
	 */
	public Mono<byte[]> read(ServerHttpRequest request) {
		RequestLimit.Place place = RequestFramingHandler.place(request);
		place.give();
		return Mono.using(() -> begin(request), (body) -> request.getBody()
			// Without a limit, reactor-netty reports a failure twice.
			.limitRate(PREFETCH)
			.doOnNext((bytes) -> add(body, bytes))
			.then(Mono.fromSupplier(body::bytes))
			.timeout(this.memory.timeout()), BodyMemory.Body::release)
			.doOnNext((_) -> place.take())
			.onErrorMap((failure) -> switch (failure) {
				case ProblemException problem -> problem;
				case TimeoutException _ -> StandardProblem.of(ProblemType.REQUEST_TIMEOUT);
				// The body is cut off or badly chunked.
				default -> StandardProblem.of(ProblemType.INVALID_REQUEST);
			});
	}

	private BodyMemory.Body begin(ServerHttpRequest request) {
		return this.memory.begin(request.getHeaders().getContentLength());
	}

	/**
	 * Copies the bytes: otherwise a few of them would retain the whole buffer that they
	 * arrived in.
	 */
	private static void add(BodyMemory.Body body, DataBuffer bytes) {
		try {
			int count = bytes.readableByteCount();
			body.reserve(count);
			body.fill((target, offset, _) -> {
				bytes.read(target, offset, count);
				return count;
			});
		}
		finally {
			DataBufferUtils.release(bytes);
		}
	}

}
