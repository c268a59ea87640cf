package dev.sluice.gateway;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/**
 * Detects, with BlockHound, calls that block an event loop or a thread of
 * {@code Schedulers.parallel()}. The call is recorded and continues, because its caller
 * may swallow an error.
 */
final class BlockedEventLoops {

	private static final int FRAMES = 40;

	private static final List<String> HARMLESS = List.of(
			// A class or a resource is read from its jar once.
			"java.util.zip.",
			// The kernel's random number generator, which ids need, does not block once
			// it is seeded.
			"sun.security.provider.NativePRNG",
			// The lock of a bounded queue is held for the time of an assignment.
			"java.util.concurrent.ArrayBlockingQueue.offer",
			// The lock of a circuit breaker's window is held while it counts a call.
			"io.github.resilience4j.core.metrics.",
			// Starts a thread of a pool, and waits for nothing.
			"java.util.concurrent.ThreadPoolExecutor.addWorker",
			// An idle thread of a pool.
			"java.util.concurrent.ThreadPoolExecutor.getTask");

	private static final List<BlockingOperationError> FOUND = new CopyOnWriteArrayList<>();

	private BlockedEventLoops() {
	}

	/** Instruments this JVM, once. */
	static void detect() {
		BlockHound.install(
				(builder) -> builder.blockingMethodCallback((method) -> FOUND.add(new BlockingOperationError(method))));
	}

	/** The calls found since the last call, each with the first lines of its stack. */
	static List<String> found() {
		List<String> found = FOUND.stream()
			.filter((error) -> !isHarmless(error))
			.map(BlockedEventLoops::describe)
			.toList();
		FOUND.clear();
		return found;
	}

	private static boolean isHarmless(BlockingOperationError error) {
		return Stream.of(error.getStackTrace()).anyMatch(BlockedEventLoops::isHarmless);
	}

	private static boolean isHarmless(StackTraceElement frame) {
		String method = frame.getClassName() + "." + frame.getMethodName();
		return HARMLESS.stream().anyMatch(method::startsWith);
	}

	private static String describe(BlockingOperationError error) {
		return Stream.concat(Stream.of(error.getMessage()), Stream.of(error.getStackTrace()).limit(FRAMES))
			.map(Object::toString)
			.collect(Collectors.joining("\n\tat "));
	}

}
