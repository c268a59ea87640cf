package dev.sluice.lab.proof.delivery;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import dev.sluice.contract.SavedOrder;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * The times at which the orders of a load were accepted, by the lab's clock, and saved,
 * by the backend's; both run on one machine and so agree. Orders are identified by
 * number; each takes 16 bytes. Any thread may report accepted orders; one thread asks the
 * backend and reads the results.
 */
final class DeliveryTimes {

	private static final int TASKS = 16;

	private static final long NEVER = Long.MIN_VALUE;

	private final IntFunction<UUID> ids;

	private final long[] acceptedMicros;

	private final long[] savedMicros;

	/**
	 * @param orders maximum number of orders
	 * @param ids the orders' ids by their numbers
	 */
	DeliveryTimes(int orders, IntFunction<UUID> ids) {
		this.ids = ids;
		this.acceptedMicros = new long[orders];
		this.savedMicros = new long[orders];
		Arrays.fill(this.acceptedMicros, NEVER);
		Arrays.fill(this.savedMicros, NEVER);
	}

	synchronized void accepted(int order, Instant at) {
		this.acceptedMicros[order] = ChronoUnit.MICROS.between(Instant.EPOCH, at);
	}

	synchronized boolean isAccepted(int order) {
		return this.acceptedMicros[order] != NEVER;
	}

	/** Number of orders accepted. */
	synchronized int accepted() {
		return (int) Arrays.stream(this.acceptedMicros).filter((micros) -> micros != NEVER).count();
	}

	/** Asks the backend for every accepted order not yet known to be saved. */
	void ask(BackendControl backend) throws InterruptedException {
		AtomicInteger next = new AtomicInteger();
		List<Future<@Nullable Void>> tasks = new ArrayList<>();
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < TASKS; i++) {
				tasks.add(executor.submit(() -> {
					for (int order = next.getAndIncrement(); order < this.savedMicros.length; order = next
						.getAndIncrement()) {
						if (isAccepted(order) && this.savedMicros[order] == NEVER) {
							ask(backend, order);
						}
					}
					return null;
				}));
			}
			for (Future<@Nullable Void> task : tasks) {
				task.get();
			}
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof LabException cause) ? cause
					: new LabException("The backend cannot be asked: " + ex.getCause(), ex);
		}
	}

	private void ask(BackendControl backend, int order) throws InterruptedException {
		Optional<SavedOrder> saved = backend.find(this.ids.apply(order));
		saved.ifPresent((found) -> this.savedMicros[order] = ChronoUnit.MICROS.between(Instant.EPOCH, found.savedAt()));
	}

	/** Number of accepted orders that are not known to be saved. */
	int notSaved(IntPredicate which) {
		return (int) orders(which).filter((order) -> this.savedMicros[order] == NEVER).count();
	}

	/** Times from accepted to saved of the saved orders, in milliseconds, sorted. */
	long[] waitsMillis(IntPredicate which) {
		return orders(which).filter((order) -> this.savedMicros[order] != NEVER)
			.mapToLong((order) -> Math.max(0, this.savedMicros[order] - this.acceptedMicros[order]) / 1_000)
			.sorted()
			.toArray();
	}

	/**
	 * The longest time without a saved order, from the first accepted one until the last
	 * was saved; null if none was.
	 */
	@Nullable Double longestGapMillis() {
		long[] saved = saved();
		if (saved.length == 0) {
			return null;
		}
		long previous = Math.min(saved[0],
				Arrays.stream(this.acceptedMicros).filter((micros) -> micros != NEVER).min().orElse(saved[0]));
		long longest = 0;
		for (long micros : saved) {
			longest = Math.max(longest, micros - previous);
			previous = micros;
		}
		return longest / 1_000.0;
	}

	/** Orders saved in each second since a time. */
	double[] savedPerSecond(Instant since, int seconds) {
		double[] counts = new double[seconds];
		long start = ChronoUnit.MICROS.between(Instant.EPOCH, since);
		for (long micros : saved()) {
			long second = (micros - start) / 1_000_000;
			if (second >= 0 && second < seconds) {
				counts[(int) second]++;
			}
		}
		return counts;
	}

	private long[] saved() {
		return Arrays.stream(this.savedMicros).filter((micros) -> micros != NEVER).sorted().toArray();
	}

	private IntStream orders(IntPredicate which) {
		return IntStream.range(0, this.acceptedMicros.length).filter(this::isAccepted).filter(which);
	}

	/** Writes a line for each accepted order. */
	void write(Path file) throws IOException {
		try (BufferedWriter writer = Files.newBufferedWriter(file)) {
			writer.write("order,id,accepted_us,saved_us\n");
			for (int order = 0; order < this.acceptedMicros.length; order++) {
				if (isAccepted(order)) {
					writer.write("%d,%s,%d,%s\n".formatted(order, this.ids.apply(order), this.acceptedMicros[order],
							(this.savedMicros[order] != NEVER) ? this.savedMicros[order] : ""));
				}
			}
		}
	}

}
