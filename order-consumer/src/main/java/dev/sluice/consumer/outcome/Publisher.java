package dev.sluice.consumer.outcome;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.Time;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a record into Kafka and waits for its acknowledgement, trying again until it has
 * it. Blocks its caller, a virtual thread; safe for use by several. What is on its way is
 * bounded by the producer's buffer, and each try by its delivery timeout.
 */
public final class Publisher {

	private static final Logger logger = LoggerFactory.getLogger(Publisher.class);

	private final Supplier<Producer<byte[], byte[]>> producer;

	private final Backoff backoff;

	private final Time time;

	private final AtomicBoolean failing = new AtomicBoolean();

	/**
	 * @param producer gives the producer, always the same; may fail while Kafka's name
	 * cannot be resolved
	 */
	public Publisher(Supplier<Producer<byte[], byte[]>> producer, Backoff backoff, Time time) {
		this.producer = producer;
		this.backoff = backoff;
		this.time = time;
	}

	/**
	 * @param wanted whether to try again after a failure
	 * @return whether Kafka has it; false only if it was no longer wanted
	 * @throws RecordTooLargeException if Kafka will never take it
	 */
	boolean publish(ProducerRecord<byte[], byte[]> record, BooleanSupplier wanted) throws InterruptedException {
		int failures = 0;
		while (!publishOnce(record)) {
			if (!wanted.getAsBoolean()) {
				return false;
			}
			this.time.sleep(this.backoff.after(++failures));
		}
		return true;
	}

	private boolean publishOnce(ProducerRecord<byte[], byte[]> record) throws InterruptedException {
		CompletableFuture<Boolean> acknowledged = new CompletableFuture<>();
		try {
			this.producer.get().send(record, (metadata, failure) -> {
				if (failure != null) {
					acknowledged.completeExceptionally(failure);
				}
				else {
					acknowledged.complete(true);
				}
			});
			acknowledged.get();
			if (this.failing.compareAndSet(true, false)) {
				logger.info("Kafka acknowledges again");
			}
			return true;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RecordTooLargeException tooLarge) {
				throw tooLarge;
			}
			failed(record, ex.getCause());
		}
		catch (InterruptException ex) {
			Thread.interrupted();
			throw new InterruptedException();
		}
		catch (KafkaException ex) {
			failed(record, ex);
		}
		return false;
	}

	private void failed(ProducerRecord<?, ?> record, @Nullable Throwable failure) {
		if (this.failing.compareAndSet(false, true)) {
			logger.warn("Kafka does not acknowledge a record of {}; trying again until it does: {}", record.topic(),
					String.valueOf(failure));
		}
	}

	public static Backoff defaultBackoff(DoubleSupplier random) {
		return new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5), random);
	}

}
