package dev.sluice.gateway;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/**
 * Finds what blocks an event loop or a thread of {@code Schedulers.parallel()}, by
 * BlockHound. The call fails, and is recorded, because its caller may swallow the error.
 */
final class BlockedEventLoops {

	private static final List<BlockingOperationError> FOUND = new CopyOnWriteArrayList<>();

	private BlockedEventLoops() {
	}

	/** Instruments this JVM, once. */
	static void detect() {
		BlockHound.install((builder) -> builder.blockingMethodCallback((method) -> {
			BlockingOperationError error = new BlockingOperationError(method);
			FOUND.add(error);
			throw error;
		})
			// The lock of a bounded queue is held for the time of an assignment.
			.allowBlockingCallsInside("java.util.concurrent.ArrayBlockingQueue", "offer")
			// Starts a thread of the pool, and waits for nothing.
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "addWorker"));
	}

	/** What was found since the last call. */
	static List<BlockingOperationError> found() {
		List<BlockingOperationError> found = new ArrayList<>(FOUND);
		FOUND.clear();
		return found;
	}

}
