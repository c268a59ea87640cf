package dev.sluice.lab.proof.delivery;

import java.util.stream.IntStream;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class BadRecordsTests {

	/** Default limit of a topic's records. */
	private static final int MAX_BYTES = 1_000_000;

	private final BadRecords records = new BadRecords(7);

	@Test
	void hasEveryKindInTurn() {
		int kinds = BadRecords.Kind.values().length;

		assertThat(IntStream.range(0, kinds).mapToObj(BadRecords::kind)).containsExactly(BadRecords.Kind.values());
		assertThat(BadRecords.kind(kinds + 1)).isEqualTo(BadRecords.kind(1));
	}

	@Test
	void isTakenByKafkaAndMadeAgain() {
		for (int number = 0; number < 200; number++) {
			ProducerRecord<byte[], byte[]> record = this.records.record(number);
			assertThat(record.topic()).isEqualTo(Topics.ORDERS);
			assertThat((record.value() != null) ? record.value().length : 0).isLessThan(MAX_BYTES);
			assertThat(new BadRecords(7).record(number).value()).isEqualTo(record.value());
		}
	}

}
