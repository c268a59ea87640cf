package dev.sluice.consumer.outcome;

import java.time.Duration;
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
 * Publishes a record to Kafka and retries until Kafka acknowledges it. It blocks the
 * calling thread, a virtual one. The producer's buffer bounds the records in flight, and
 * its delivery timeout bounds each try.
 */
public final class ReliablePublisher {

	private static final Logger logger = LoggerFactory.getLogger(ReliablePublisher.class);

	private final Supplier<Producer<byte[], byte[]>> producer;

	private final Backoff backoff;

	private final Time time;

	private final AtomicBoolean failing = new AtomicBoolean();

	/**
	 * @param producer supplies the producer, always the same one; it may fail while
	 * Kafka's host name cannot be resolved
	 */
	public ReliablePublisher(Supplier<Producer<byte[], byte[]>> producer, Backoff backoff, Time time) {
		this.producer = producer;
		this.backoff = backoff;
		this.time = time;
	}

	/**
	 * @param wanted whether to retry after a failure
	 * @return whether Kafka has acknowledged the record; false only if it is no longer
	 * wanted
	 * @throws RecordTooLargeException if the record is too large for the topic
	 */
	public boolean publish(ProducerRecord<byte[], byte[]> record, BooleanSupplier wanted) throws InterruptedException {
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
		try {
			this.producer.get().send(record).get();
			if (this.failing.compareAndSet(true, false)) {
				logger.info("Kafka acknowledges records again");
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
			logger.warn("Kafka does not acknowledge a record of {}. Retrying until it does: {}", record.topic(),
					String.valueOf(failure));
		}
	}

	public static Backoff defaultBackoff(DoubleSupplier random) {
		return new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5), random);
	}

}
