package dev.sluice.lab.watch;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Predicate;

import dev.sluice.lab.watch.Moment.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class WatchTests {

	private final History history = new History();

	@Test
	void asksEachSecondAndRemembers() {
		try (StubService service = new StubService();
				Watch _ = new Watch(List.of(service.target("gateway")), this.history, InstantSource.system())) {
			awaitMoment((moment) -> moment.figures().get("orders").getOrDefault("sync saved", 0.0) > 0);

			assertThat(this.history.after(0)).extracting(Moment::number).startsWith(1L, 2L);
			assertThat(last().figures().get("threads")).containsEntry("gateway", 31.0);
			assertThat(last().services()).extracting(State::problem).containsOnlyNulls();
		}
	}

	@Test
	void aServiceThatIsDownIsSaidToBeAndComesBackByItself() {
		try (StubService stays = new StubService();
				StubService goes = new StubService();
				Watch _ = new Watch(List.of(stays.target("stays"), goes.target("goes")), this.history,
						InstantSource.system())) {
			awaitMoment((moment) -> problem(moment, "goes") == null);

			goes.stop();
			awaitMoment((moment) -> problem(moment, "goes") != null);
			assertThat(problem(last(), "stays")).isNull();
			assertThat(last().figures().get("threads")).containsOnlyKeys("stays");

			goes.startAgain();
			awaitMoment((moment) -> problem(moment, "goes") == null);
		}
	}

	@Test
	void aServiceThatHangsDelaysNobody() throws Exception {
		try (ServerSocket hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				StubService answers = new StubService();
				Watch _ = new Watch(List.of(new Target("hangs", URI.create("http://127.0.0.1:" + hangs.getLocalPort())),
						answers.target("answers")), this.history, InstantSource.system())) {
			awaitMoment((moment) -> moment.number() == 3);

			assertThat(problem(last(), "hangs")).isEqualTo("no answer within 900 ms");
			assertThat(problem(last(), "answers")).isNull();
		}
	}

	@Test
	void remembersTenMinutes() {
		for (long number = 1; number <= History.MAX_READINGS + 5; number++) {
			this.history.add(WatchServerTests.moment(number));
		}

		assertThat(this.history.after(0)).hasSize(History.MAX_READINGS);
		assertThat(this.history.after(0).getFirst().number()).isEqualTo(6);
		assertThat(this.history.after(History.MAX_READINGS + 3)).extracting(Moment::number)
			.containsExactly(History.MAX_READINGS + 4L, History.MAX_READINGS + 5L);
	}

	private void awaitMoment(Predicate<Moment> condition) {
		await().atMost(Duration.ofSeconds(30)).until(() -> !this.history.after(0).isEmpty() && condition.test(last()));
	}

	private Moment last() {
		return this.history.after(0).getLast();
	}

	private static String problem(Moment moment, String service) {
		return moment.services()
			.stream()
			.filter((state) -> state.name().equals(service))
			.findFirst()
			.orElseThrow()
			.problem();
	}

}
