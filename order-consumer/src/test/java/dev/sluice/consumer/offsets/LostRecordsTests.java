package dev.sluice.consumer.offsets;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.consumer.offsets.LostRecords.Gap;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LostRecordsTests {

	private static final TopicPartition PARTITION = new TopicPartition("orders", 3);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LostRecords lost = new LostRecords(this.registry);

	@Test
	void knowsOfNoLossAtFirst() {
		this.lost.expect("delivery", "orders");

		assertThat(this.lost.isEmpty()).isTrue();
		assertThat(counted()).isZero();
	}

	@Test
	void aLossIsAnErrorInTheLogCountedAndShownByHealth(CapturedOutput output) {
		this.lost.lost("delivery", new Gap(PARTITION, 4, 10), 5);

		assertThat(output).contains("ERROR")
			.contains("5 records of orders-3, offsets 4 to 9, were deleted before the delivery had read them");
		assertThat(counted()).isEqualTo(5);
		assertThat(this.lost.isEmpty()).isFalse();
		assertThat(this.lost.details()).containsEntry("delivery: orders-3", "5 records below offset 10");
	}

	@Test
	void aGapIsAsLargeAsItsOffsetsAreMany() {
		assertThat(new Gap(PARTITION, 4, 10).size()).isEqualTo(6);
	}

	@Test
	void healthShowsEachLossOfAPartition() {
		this.lost.lost("delivery", new Gap(PARTITION, 4, 10), 6);
		this.lost.lost("delivery", new Gap(PARTITION, 20, 25), 5);

		assertThat(this.lost.details()).containsEntry("delivery: orders-3",
				"6 records below offset 10, 5 records below offset 25");
		assertThat(counted()).isEqualTo(11);
	}

	@Test
	void aDeletedTopicIsAnErrorInTheLogAndShownByHealth(CapturedOutput output) {
		this.lost.topicDeleted("delivery", "orders");

		assertThat(output).contains("ERROR").contains("topic orders was deleted");
		assertThat(this.lost.isEmpty()).isFalse();
		assertThat(this.lost.details()).containsKey("delivery: orders");
	}

	private double counted() {
		return ConsumerMetric.LOST_RECORDS.counter(this.registry, "reader", "delivery", "topic", "orders").count();
	}

}
