package dev.sluice.lab.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Tag("full")
class CoordinatorTests {

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	@Test
	void allPartsGetOnePlanWhenTheLastHasJoined() throws Exception {
		try (Coordinator coordinator = coordinator(3, PATIENCE);
				Participant second = participant(coordinator, "2/3");
				Participant third = participant(coordinator, "3/3")) {
			CompletableFuture<Plan> plan = joining(second);
			CompletableFuture<Plan> own = joining(coordinator);

			assertThat(third.join(PATIENCE)).isEqualTo(plan.get()).isEqualTo(own.get());
		}
	}

	@Test
	void saysWhichPartsHaveNotJoined() throws Exception {
		try (Coordinator coordinator = coordinator(4, Duration.ofMillis(300));
				Participant third = participant(coordinator, "3/4")) {
			CompletableFuture<Plan> own = joining(coordinator);

			assertThatExceptionOfType(LabException.class).isThrownBy(() -> third.join(PATIENCE))
				.withMessageContaining("these have not joined within 0 s: ")
				.withMessageContaining("2")
				.withMessageContaining("4");
			assertThat(own).failsWithin(PATIENCE);
		}
	}

	@Test
	void refusesPartsOfAnotherLoadAndOneThatIsThere() throws Exception {
		try (Coordinator coordinator = coordinator(3, PATIENCE);
				Participant second = participant(coordinator, "2/3");
				Participant again = participant(coordinator, "2/3");
				Participant other = participant(coordinator, "2/5")) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> other.join(PATIENCE))
				.withMessageContaining("This load has 3 parts, not 5");
			CompletableFuture<String> refusal = CompletableFuture.anyOf(refused(second), refused(again))
				.thenApply(String::valueOf);

			assertThat(refusal.get()).contains("Part 2 of this load has joined already");
		}
	}

	@Test
	void takesNoReportOfAPartThatHasNotJoined() throws Exception {
		try (Coordinator coordinator = coordinator(2, PATIENCE); Participant second = participant(coordinator, "2/2")) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> second.report(report(2, 20)))
				.withMessageContaining("Part 2 of this load has not joined");
		}
	}

	@Test
	void givesUpACoordinatorThatDoesNotListen() throws Exception {
		URI nobody = URI.create("http://127.0.0.1:1");
		try (Participant participant = new Participant(nobody, new Part(2, 2))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> participant.join(Duration.ZERO))
				.withMessageContaining("The coordinator at http://127.0.0.1:1 does not answer");
		}
	}

	@Test
	void tellsTheTime() throws Exception {
		try (Coordinator coordinator = coordinator(2, PATIENCE); Participant second = participant(coordinator, "2/2")) {
			Participant.Clock clock = second.clock();

			assertThat(Math.abs(clock.offsetNanos())).as("it is the same clock")
				.isLessThanOrEqualTo(clock.errorNanos());
		}
	}

	@Test
	void gathersEachReportOnceAndSaysWhichLack() throws Exception {
		try (Coordinator coordinator = coordinator(3, PATIENCE);
				Participant second = participant(coordinator, "2/3");
				Participant third = participant(coordinator, "3/3")) {
			CompletableFuture<Plan> plan = joining(second);
			CompletableFuture<Plan> thirdPlan = joining(third);
			coordinator.join(1);
			plan.get();
			thirdPlan.get();
			second.report(report(2, 20));
			second.report(report(2, 99));
			coordinator.report(report(1, 10));

			List<PartReport> reports = coordinator.reports(Duration.ofMillis(100));

			assertThat(reports).extracting((each) -> each.tally().due()).containsExactly(10L, 20L);
			assertThat(coordinator.without(reports.stream().map(PartReport::part).toList())).isEqualTo("3");
		}
	}

	@Test
	void aPartWhoseAnswersAreLostAsksAgain() throws Exception {
		try (Coordinator coordinator = coordinator(2, PATIENCE);
				AnswerLosingProxy proxy = new AnswerLosingProxy(coordinator.address());
				Participant second = new Participant(proxy.uri(), new Part(2, 2))) {
			CompletableFuture<Plan> own = joining(coordinator);

			assertThat(second.join(PATIENCE)).isEqualTo(own.get());
			second.report(report(2, 20));

			assertThat(coordinator.reports(Duration.ZERO)).extracting(PartReport::part).containsExactly(2);
			assertThat(proxy.lost).containsExactlyInAnyOrder("/join", "/report");
		}
	}

	@Test
	void refusesThePartsThatWaitWhenItEnds() throws Exception {
		try (Coordinator coordinator = coordinator(3, PATIENCE); Participant second = participant(coordinator, "2/3")) {
			CompletableFuture<String> refusal = refused(second);
			await().untilAsserted(() -> assertThat(coordinator.joined()).containsExactly(2));

			coordinator.close();

			assertThat(refusal.get()).contains("The coordinator ends");
		}
	}

	@Test
	void answersTheLastReportBeforeItEnds() throws Exception {
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Void> reported;
			Coordinator coordinator = coordinator(2, PATIENCE);
			try (Participant second = participant(coordinator, "2/2")) {
				try (coordinator) {
					CompletableFuture<Plan> plan = joining(second);
					coordinator.join(1);
					plan.get();
					coordinator.report(report(1, 10));
					reported = reporting(second, report(2, 20));

					assertThat(coordinator.reports(PATIENCE)).hasSize(2);
				}
				assertThat(reported).succeedsWithin(PATIENCE);
			}
		}
	}

	private static CompletableFuture<Void> reporting(Participant participant, PartReport report) {
		return CompletableFuture.runAsync(() -> interruptible(() -> {
			participant.report(report);
			return null;
		}), Thread::startVirtualThread);
	}

	private static PartReport report(int part, long due) {
		return new PartReport(part, new Tally(due, due, 0, due, 0, Map.of()), "", "", null, List.of(), 0);
	}

	private static Coordinator coordinator(int parts, Duration joinTimeout) {
		return new Coordinator(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), parts, joinTimeout,
				(now) -> new Plan(100, 1, Mode.SYNC, "prefix", now));
	}

	private static Participant participant(Coordinator coordinator, String part) {
		return new Participant(URI.create("http://127.0.0.1:" + coordinator.address().getPort()), Part.parse(part));
	}

	private static CompletableFuture<Plan> joining(Participant participant) {
		return CompletableFuture.supplyAsync(() -> interruptible(() -> participant.join(PATIENCE)),
				Thread::startVirtualThread);
	}

	private static CompletableFuture<Plan> joining(Coordinator coordinator) {
		return CompletableFuture.supplyAsync(() -> interruptible(() -> coordinator.join(1)),
				Thread::startVirtualThread);
	}

	private static CompletableFuture<String> refused(Participant participant) {
		CompletableFuture<String> refusal = new CompletableFuture<>();
		joining(participant).whenComplete((_, failure) -> {
			if (failure != null) {
				refusal.complete(String.valueOf(failure.getMessage()));
			}
		});
		return refusal;
	}

	private static <T> T interruptible(Callable<T> call) {
		try {
			return call.call();
		}
		catch (LabException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Passes requests on, and loses the first answer of each path. */
	private static final class AnswerLosingProxy implements AutoCloseable {

		private final Set<String> lost = ConcurrentHashMap.newKeySet();

		private final HttpClient client = HttpClient.newHttpClient();

		private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
				0);

		AnswerLosingProxy(InetSocketAddress coordinator) throws IOException {
			this.server.createContext("/", (exchange) -> {
				try (exchange) {
					URI uri = URI.create("http://127.0.0.1:" + coordinator.getPort() + exchange.getRequestURI());
					HttpResponse<byte[]> answer = this.client.send(HttpRequest.newBuilder(uri)
						.timeout(PATIENCE)
						.POST(BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
						.build(), BodyHandlers.ofByteArray());
					if (!this.lost.add(uri.getPath())) {
						exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
						exchange.getResponseBody().write(answer.body());
					}
				}
				catch (InterruptedException ex) {
					throw new IOException(ex);
				}
			});
			this.server.start();
		}

		URI uri() {
			return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort());
		}

		@Override
		public void close() {
			this.server.stop(0);
			this.client.shutdownNow();
			this.client.close();
		}

	}

}
