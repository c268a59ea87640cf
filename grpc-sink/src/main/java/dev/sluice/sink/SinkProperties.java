package dev.sluice.sink;

import java.time.Duration;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The sink's own settings. A stream keeps at most {@code window} messages of
 * {@code maxMessage} bytes.
 *
 * @param window messages of a stream in process at most, from their reception to the
 * writing of their acknowledgement; the client is held back beyond. Default 100
 * @param maxStreams streams open at once at most; beyond, RESOURCE_EXHAUSTED. Default
 * 1,000
 * @param maxMessage the largest payload, after decompression, 1 B to 4 MB; beyond,
 * RESOURCE_EXHAUSTED. Default 1 MB
 * @param ackBatch acknowledgements in one response at most. Default 100
 * @param ackDelay how long an acknowledgement waits for others to go with it, at most 1
 * s; 0 = not at all. Default 5 ms
 * @param partitions of the topic, if it has to be made. Default 12
 * @param replicationFactor of the topic, if it has to be made. Default 1
 */
@Validated
@ConfigurationProperties("sink")
record SinkProperties(@DefaultValue("100") @Min(1) @Max(100_000) int window,
		@DefaultValue("1000") @Min(1) @Max(100_000) int maxStreams, @DefaultValue("1MB") DataSize maxMessage,
		@DefaultValue("100") @Min(1) @Max(10_000) int ackBatch,
		@DefaultValue("5ms") @DurationMin @DurationMax(seconds = 1) Duration ackDelay,
		@DefaultValue("12") @Min(1) @Max(10_000) int partitions,
		@DefaultValue("1") @Min(1) @Max(100) short replicationFactor) {

	private static final DataSize GREATEST_MESSAGE = DataSize.ofMegabytes(4);

	@AssertTrue(message = "sink.max-message must be 1B to 4MB")
	boolean isMaxMessageBounded() {
		return this.maxMessage.toBytes() > 0 && this.maxMessage.compareTo(GREATEST_MESSAGE) <= 0;
	}

	int maxMessageBytes() {
		return Math.toIntExact(this.maxMessage.toBytes());
	}

}
