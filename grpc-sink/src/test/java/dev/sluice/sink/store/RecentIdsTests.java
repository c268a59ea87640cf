package dev.sluice.sink.store;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;

import com.google.protobuf.ByteString;
import dev.sluice.sink.store.RecentIds.Name;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentIdsTests {

	private final RecentIds recent = new RecentIds(2);

	@Test
	void remembersAsManyOfEachPartAsItsHorizon() {
		for (int part = 0; part < 2; part++) {
			for (int i = 0; i < 3; i++) {
				this.recent.add(part, name(part + "-" + i), 10 * part + i);
			}
		}

		assertThat(this.recent.size()).isEqualTo(4);
		assertThat(this.recent.checksum(name("0-0"))).as("the third last of its part").isNull();
		assertThat(this.recent.checksum(name("0-1"))).isEqualTo(1);
		assertThat(this.recent.checksum(name("0-2"))).isEqualTo(2);
		assertThat(this.recent.checksum(name("1-1"))).isEqualTo(11);
		assertThat(this.recent.horizon()).isEqualTo(2);
	}

	@Test
	void aRepeatTakesNoPlaceAndKeepsTheFirstChecksum() {
		this.recent.add(0, name("a"), 1);
		this.recent.add(0, name("a"), 2);
		this.recent.add(0, name("b"), 3);

		assertThat(this.recent.checksum(name("a"))).isEqualTo(1);
		this.recent.add(0, name("c"), 4);
		assertThat(this.recent.checksum(name("a"))).isNull();
		assertThat(this.recent.checksum(name("b"))).isEqualTo(3);
	}

	@Test
	void whatIsForgottenMayComeAgain() {
		this.recent.add(0, name("a"), 1);
		this.recent.add(0, name("b"), 2);
		this.recent.add(0, name("c"), 3);

		this.recent.add(0, name("a"), 4);

		assertThat(this.recent.checksum(name("a"))).isEqualTo(4);
		assertThat(this.recent.checksum(name("b"))).isNull();
		assertThat(this.recent.size()).isEqualTo(2);
	}

	@Test
	void remembersNothingWithoutAHorizon() {
		RecentIds none = new RecentIds(0);

		none.add(0, name("a"), 1);

		assertThat(none.checksum(name("a"))).isNull();
		assertThat(none.size()).isZero();
	}

	@Test
	void clearingForgetsAll() {
		this.recent.add(0, name("a"), 1);
		this.recent.add(0, name("b"), 2);

		this.recent.clear();

		assertThat(this.recent.size()).isZero();
		this.recent.add(0, name("a"), 3);
		assertThat(this.recent.checksum(name("a"))).as("it has a place of its own").isEqualTo(3);
	}

	@Test
	void anIdOfAnotherClientIsAnotherName() {
		Name name = Name.of(1, ByteString.copyFromUtf8("a"));

		assertThat(name).isEqualTo(Name.of(1, ByteString.copyFromUtf8("a")))
			.hasSameHashCodeAs(Name.of(1, ByteString.copyFromUtf8("a")))
			.isNotEqualTo(Name.of(2, ByteString.copyFromUtf8("a")))
			.isNotEqualTo(Name.of(1, ByteString.copyFromUtf8("b")))
			.isNotEqualTo(new Name(1, ByteString.copyFromUtf8("b"), name.hash()))
			.isNotEqualTo("a")
			.isNotEqualTo(null);
	}

	@Test
	void idsThatCountUpHaveHashesOfTheirOwn() {
		assertThat(IntStream.range(0, 4_096)
			.mapToObj((number) -> Name.of(0, ByteString.copyFrom(ByteBuffer.allocate(16).putInt(12, number))))
			.map(Name::hashCode)
			.distinct()).hasSize(4_096);
	}

	private static Name name(String id) {
		return Name.of(0, ByteString.copyFromUtf8(id));
	}

}
