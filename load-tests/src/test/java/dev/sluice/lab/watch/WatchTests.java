package dev.sluice.lab.watch;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class WatchTests {

	private final History history = new History();

	@Test
	void asksEachSecondAndRemembers() {
		try (StubService service = new StubService();
				Watch _ = new Watch(List.of(service.target("gateway")), this.history, InstantSource.system())) {
			Moment found = awaitMoment((moment) -> problem(moment, "gateway") == null
					&& moment.figures().get("orders").getOrDefault("sync saved", 0.0) > 0);

			assertThat(this.history.after(0)).extracting(Moment::number).startsWith(1L, 2L);
			assertThat(found.figures().get("threads")).containsEntry("gateway", 31.0);
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
			Moment down = awaitMoment((moment) -> problem(moment, "goes") != null && problem(moment, "stays") == null);
			assertThat(down.figures().get("threads")).containsOnlyKeys("stays");

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
			awaitMoment((moment) -> "no answer within 900 ms".equals(problem(moment, "hangs"))
					&& problem(moment, "answers") == null);
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

	/** The next moment that is as wanted. If the machine stands still, one is not. */
	private Moment awaitMoment(Predicate<Moment> condition) {
		long before = this.history.after(0).stream().mapToLong(Moment::number).max().orElse(0);
		return await()
			.until(() -> this.history.after(before).stream().filter(condition).findFirst(), Optional::isPresent)
			.orElseThrow();
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
