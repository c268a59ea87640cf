package dev.sluice.lab.watch;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import dev.sluice.lab.watch.Watch.Moment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class WatchTests {

	@Test
	void asksEachSecondAndRemembers() {
		try (StubService service = new StubService(); Watch watch = new Watch(Map.of("gateway", service.uri()))) {
			Moment found = awaitMoment(watch, (moment) -> problem(moment, "gateway") == null
					&& moment.figures().getOrDefault("orders", Map.of()).getOrDefault("sync saved", 0.0) > 0);

			assertThat(watch.after(0)).hasSizeGreaterThan(1);
			assertThat(watch.after(found.millis() - 1)).startsWith(found);
			assertThat(watch.after(found.millis())).doesNotContain(found);
			assertThat(found.figures().get("threads")).containsEntry("gateway", 31.0);
		}
	}

	@Test
	void aServiceThatHangsDelaysNobody() throws Exception {
		try (ServerSocket hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				StubService answers = new StubService();
				Watch watch = new Watch(Map.of("hangs", URI.create("http://127.0.0.1:" + hangs.getLocalPort()),
						"answers", answers.uri()))) {
			awaitMoment(watch, (moment) -> "no answer within 900 ms".equals(problem(moment, "hangs"))
					&& problem(moment, "answers") == null);
		}
	}

	/** The next moment that is as wanted. If the machine stands still, one is not. */
	private static Moment awaitMoment(Watch watch, Predicate<Moment> condition) {
		long before = watch.after(0).stream().mapToLong(Moment::millis).max().orElse(0);
		return await().until(() -> watch.after(before).stream().filter(condition).findFirst(), Optional::isPresent)
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
