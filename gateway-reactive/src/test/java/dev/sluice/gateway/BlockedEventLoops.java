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

	private static final String LOCK = "java.util.concurrent.locks.ReentrantLock.lock";

	/**
	 * Packages and classes whose locks are held only to compute, such as to count a call
	 * or to put an element into a bounded queue.
	 */
	private static final List<String> SHORT_LOCKS = List.of("java.util.concurrent.",
			// The windows of circuit breakers.
			"io.github.resilience4j.core.metrics.",
			// The id generator, while it takes its random bytes.
			"com.fasterxml.uuid.impl.",
			// Each type is inspected once.
			"tools.jackson.databind.deser.DeserializerCache.", "tools.jackson.databind.ser.SerializerCache.");

	private static final List<String> HARMLESS = List.of(
			// A class or a resource is read from its jar once.
			"java.util.zip.",
			// The kernel's random number generator, which ids need, does not block once
			// it is seeded.
			"sun.security.provider.NativePRNG",
			// When Netty's buffer pool is divided among more threads, each part is locked
			// for the time that another thread needs to take a buffer from it.
			"io.netty.buffer.AdaptivePoolingAllocator$MagazineGroup.tryExpandMagazines",
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
		List<String> methods = Stream.of(error.getStackTrace())
			.map((frame) -> frame.getClassName() + "." + frame.getMethodName())
			.toList();
		int caller = methods.indexOf(LOCK) + 1;
		boolean shortLock = caller > 0 && caller < methods.size() && startsWithAny(methods.get(caller), SHORT_LOCKS);
		return shortLock || methods.stream().anyMatch((method) -> startsWithAny(method, HARMLESS));
	}

	private static boolean startsWithAny(String method, List<String> prefixes) {
		return prefixes.stream().anyMatch(method::startsWith);
	}

	private static String describe(BlockingOperationError error) {
		return Stream.concat(Stream.of(error.getMessage()), Stream.of(error.getStackTrace()).limit(FRAMES))
			.map(Object::toString)
			.collect(Collectors.joining("\n\tat "));
	}

}
