package dev.sluice.lab.sink;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SinkDataTests {

	private final SinkData data = SinkData.load();

	@Test
	void makesBatchesLikeThoseOfTheSeed() {
		List<byte[]> batches = this.data.batches(1, 20_000_000);

		assertThat(batches.stream().mapToInt((batch) -> batch.length).average().orElseThrow()).isBetween(10_000.0,
				25_000.0);
		assertThat(batches).allSatisfy((batch) -> assertThat(batch.length).isBetween(2_000, 301_000));
		assertThat(batches).anySatisfy((batch) -> assertThat(batch.length).isGreaterThan(100_000));
		assertThat(batches.stream().mapToLong((batch) -> batch.length).sum()).isGreaterThanOrEqualTo(20_000_000);
	}

	@Test
	void makesHardlyAnyTwoBatchesAlikeAndTheSameForTheSameSeed() {
		List<byte[]> batches = this.data.batches(1, 5_000_000);
		Set<String> different = new HashSet<>();
		batches.forEach((batch) -> different.add(new String(batch, StandardCharsets.UTF_8)));

		assertThat((double) different.size() / batches.size()).isGreaterThan(0.99);
		assertThat(this.data.batches(1, 100_000).getFirst()).isEqualTo(batches.getFirst());
		assertThat(this.data.batches(2, 100_000).getFirst()).isNotEqualTo(batches.getFirst());
	}

	@Test
	void keepsTheMetricsNamesAndVariesTheirValues() {
		String batch = new String(this.data.batches(3, 100_000).getFirst(), StandardCharsets.UTF_8);

		assertThat(batch.lines()).allMatch((line) -> line.matches("[a-z_A-Z0-9:]+(\\{.*\\})? \\S+"));
	}

	@Test
	void trainsADictionaryThatPays() {
		byte[] dictionary = this.data.train(1);
		long plain = 0;
		long without = 0;
		long with = 0;
		try (ZstdCompressCtx bare = new ZstdCompressCtx().setLevel(1);
				ZstdDictCompress loaded = new ZstdDictCompress(dictionary, 1);
				ZstdCompressCtx knowing = new ZstdCompressCtx().setLevel(1).loadDict(loaded)) {
			for (byte[] batch : this.data.batches(1, 2_000_000)) {
				plain += batch.length;
				without += bare.compress(batch).length;
				with += knowing.compress(batch).length;
			}
		}

		assertThat(Zstd.getDictIdFromDict(dictionary)).isNotZero();
		assertThat((double) plain / without).isGreaterThan(2);
		assertThat(with).isLessThan(without);
	}

}
