package dev.sluice.lab.causes;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sluice.lab.causes.CausesPlan.Cell;
import dev.sluice.lab.causes.CausesPlan.Round;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CausesPlanTests {

	@Test
	void startsAGatewayOnceForAllThatItCanBeUsedFor() {
		List<Round> rounds = CausesPlan.whole(1).rounds();

		assertThat(rounds).extracting(Round::gateway).doesNotHaveDuplicates();
		assertThat(rounds).allSatisfy((round) -> assertThat(round.cells())
			.allSatisfy((cell) -> assertThat(cell.levels().gateway()).isEqualTo(round.gateway())));
	}

	@Test
	void variesEachFactorAlone() {
		Set<Set<String>> alone = CausesPlan.whole(1)
			.rounds()
			.stream()
			.flatMap((round) -> round.cells().stream())
			.map((cell) -> cell.levels().changes().keySet())
			.filter((changes) -> changes.size() == 1)
			.collect(Collectors.toSet());

		assertThat(alone).containsExactlyInAnyOrder(Set.of("backend's threads"), Set.of("gateway's threads"),
				Set.of("gateway's heap"), Set.of("gateway's collector"), Set.of("gateway's retries"),
				Set.of("connections"));
	}

	@Test
	void givesEachSettingANameOfItsOwn() {
		List<FactorLevels> variations = CausesPlan.whole(1)
			.rounds()
			.stream()
			.flatMap((round) -> round.cells().stream())
			.map(Cell::levels)
			.distinct()
			.toList();

		assertThat(variations.stream().map(CausesPlan::name)).doesNotHaveDuplicates().contains("base", "all at once");
	}

	@Test
	void repeatsEverythingAndBeginsElsewhereEachTime() {
		List<Round> rounds = CausesPlan.whole(3).rounds();

		assertThat(rounds.stream().map(Round::name)).doesNotHaveDuplicates();
		assertThat(rounds.stream()
			.collect(Collectors.groupingBy(Round::repetition, Collectors.mapping(Round::gateway, Collectors.toSet())))
			.values()).hasSize(3).allMatch((gateways) -> gateways.size() == rounds.size() / 3);
		assertThat(rounds.get(rounds.size() / 3).gateway()).isNotEqualTo(rounds.getFirst().gateway());
	}

	@Test
	void measuresTheBaseTwiceWhereNothingIsRepeated() {
		List<Round> rounds = CausesPlan.quick().rounds();

		assertThat(rounds.getFirst().gateway()).isEqualTo(FactorLevels.BASE);
		assertThat(rounds.getLast().cells())
			.allSatisfy((cell) -> assertThat(cell.levels()).isEqualTo(FactorLevels.BASE));
		assertThat(rounds.stream().map(Round::name)).doesNotHaveDuplicates();
	}

	@Test
	void hasEverythingThatSharesNeed() {
		List<FactorLevels> variations = CausesPlan.whole(1)
			.rounds()
			.stream()
			.flatMap((round) -> round.cells().stream())
			.map(Cell::levels)
			.toList();

		assertThat(variations).containsAll(CausesPlan.alone().values())
			.containsAll(CausesPlan.allButOne().values())
			.contains(CausesPlan.ALL);
		assertThat(CausesPlan.alone().keySet()).isEqualTo(CausesPlan.allButOne().keySet());
	}

}
