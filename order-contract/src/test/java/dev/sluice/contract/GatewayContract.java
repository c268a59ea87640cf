package dev.sluice.contract;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.PostgresService;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The behaviour of every gateway, with any thread model: over HTTP, against a real Kafka,
 * a real PostgreSQL and the backend mock. A gateway's own test starts these.
 */
public abstract class GatewayContract extends RunningGateway {

	private static final String OTHER_ORDER = ORDER.replace("tea", "coffee");

	private static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

	/** What an answer 503 asks for. */
	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final DescribedApi api = DescribedApi.instance();

	private final UUID run = UUID.randomUUID();

	/**
	 * The address of another gateway with the same servers, without places for waiters.
	 */
	protected abstract URI otherGateway();

	/** The address of its backend. */
	protected abstract URI backend();

	/** Its {@link OrderHeaders#SOURCE}. */
	protected abstract String source();

	@BeforeAll
	void isReady() {
		await().untilAsserted(() -> assertThat(manage("/actuator/health/readiness").statusCode()).isEqualTo(200));
	}

	@BeforeEach
	void backendIsWell() throws Exception {
		behave("\"errorRate\":0,\"hangRate\":0,\"resetRate\":0");
		send(HttpRequest.newBuilder(backend().resolve("/audit")).DELETE());
	}

	@Test
	void savesSyncOrderBeforeAnswering() throws Exception {
		HttpResponse<String> response = post(ORDER);

		assertThat(response.statusCode()).isEqualTo(201);
		UUID id = idOf(response);
		assertThat(id.version()).isEqualTo(7);
		assertThat(header(response, "Location")).hasValue("/orders/" + id);
		assertThat(header(response, "Content-Type")).hasValue("application/json");
		assertThat(header(response, "Preference-Applied")).isEmpty();
		assertThat(header(response, "Retry-After")).isEmpty();
		assertThat(JsonPath.<String>read(response.body(), "$.status")).isEqualTo("saved");
		HttpResponse<String> atBackend = send(HttpRequest.newBuilder(backend().resolve("/orders/" + id)));
		assertThat(atBackend.statusCode()).isEqualTo(200);
	}

	@Test
	void tellsStatusOfOrderThatOnlyTheBackendKnows() throws Exception {
		UUID id = UUID.randomUUID();
		send(HttpRequest.newBuilder(backend().resolve("/orders"))
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", '"' + id.toString() + '"')
			.POST(BodyPublishers.ofString(ORDER)));

		HttpResponse<String> response = get("/orders/" + id);

		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(JsonPath.<String>read(response.body(), "$.status")).isEqualTo("saved");
	}

	@Test
	void queuesOrderThatPrefersIt() throws Exception {
		HttpResponse<String> response = post(ORDER, "Prefer", "respond-async", "traceparent", TRACEPARENT);

		assertThat(response.statusCode()).isEqualTo(202);
		UUID id = idOf(response);
		assertThat(header(response, "Location")).hasValue("/orders/" + id);
		assertThat(header(response, "Retry-After")).hasValue("1");
		assertThat(header(response, "Preference-Applied")).hasValue("respond-async");
		assertThat(JsonPath.<String>read(response.body(), "$.status")).isEqualTo("accepted");
		assertThat(JsonPath.<Integer>read(response.body(), "$.attempts")).isZero();
		ConsumerRecord<String, String> record = queued(id);
		assertThat(record.key()).isEqualTo("c-1");
		assertThat(record.value()).isEqualTo(ORDER);
		assertThat(headers(record)).containsEntry("ce_id", id.toString())
			.containsEntry("ce_source", source())
			.containsEntry("ce_specversion", "1.0")
			.containsEntry("ce_type", "dev.sluice.order.accepted.v1")
			.containsEntry("content-type", "application/json")
			.containsEntry("traceparent", TRACEPARENT)
			.containsKey("ce_time")
			.hasSize(7);
		assertThat(Instant.parse(headers(record).get("ce_time")))
			.isEqualTo(Instant.parse(JsonPath.read(get("/orders/" + id).body(), "$.acceptedAt")));
	}

	@Test
	void passesOverTraceContextThatIsNotValid() throws Exception {
		UUID id = idOf(post(ORDER, "Prefer", "respond-async", "traceparent", "00-0-0-01"));

		assertThat(headers(queued(id))).doesNotContainKey("traceparent").hasSize(6);
	}

	@ParameterizedTest
	@CsvSource({ "accepted, 0, true", "retrying, 3, true", "saved, 1, false", "failed, 10, false" })
	void tellsStatusFromTheProjection(String status, int attempts, boolean pending) throws Exception {
		UUID id = UUID.randomUUID();
		project(id, status, attempts);

		HttpResponse<String> response = get("/orders/" + id);

		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(JsonPath.<String>read(response.body(), "$.status")).isEqualTo(status);
		assertThat(JsonPath.<Integer>read(response.body(), "$.attempts")).isEqualTo(attempts);
		assertThat(JsonPath.<String>read(response.body(), "$.reason")).isEqualTo("because");
		assertThat(Instant.parse(JsonPath.read(response.body(), "$.acceptedAt"))).isBeforeOrEqualTo(Instant.now());
		assertThat(header(response, "Retry-After").isPresent()).isEqualTo(pending);
	}

	@Test
	void repeatWithSameKeyLandsOnTheSameOrder() throws Exception {
		UUID first = idOf(post(ORDER, "Idempotency-Key", "\"repeat\""));
		UUID second = idOf(post(ORDER, "Idempotency-Key", "\"repeat\""));
		UUID queued = idOf(post(ORDER, "Idempotency-Key", "\"repeat\"", "Prefer", "respond-async"));
		UUID otherCustomer = idOf(post(ORDER.replace("c-1", "c-2"), "Idempotency-Key", "\"repeat\""));

		assertThat(second).isEqualTo(first);
		assertThat(queued).isEqualTo(first);
		assertThat(first.version()).isEqualTo(8);
		assertThat(otherCustomer).isNotEqualTo(first);
		assertThat(audit("$.saved")).isEqualTo(2);
		assertThat(audit("$.duplicates")).isEqualTo(1);
	}

	@Test
	void answersRepeatOfSyncOrderByteForByte() throws Exception {
		HttpResponse<String> first = post(ORDER, "Idempotency-Key", key("bytes"));
		HttpResponse<String> again = post(ORDER.replace(",", " , "), "Idempotency-Key", key("bytes"));
		HttpResponse<String> elsewhere = postElsewhere(ORDER, "Idempotency-Key", key("bytes"));

		UUID id = idOf(first);
		String savedAt = JsonPath.read(send(HttpRequest.newBuilder(backend().resolve("/orders/" + id))).body(),
				"$.savedAt");
		assertThat(first.body()).isEqualTo(
				"{\"id\":\"%s\",\"status\":\"saved\",\"attempts\":1,\"updatedAt\":\"%s\"}".formatted(id, savedAt));
		assertSame(first, again, elsewhere);
	}

	@Test
	void answersRepeatOfQueuedOrderByteForByte() throws Exception {
		String[] headers = { "Idempotency-Key", key("queued-bytes"), "Prefer", "respond-async" };
		HttpResponse<String> first = post(ORDER, headers);
		HttpResponse<String> again = post(ORDER, headers);
		UUID id = idOf(first);
		List<ConsumerRecord<String, String>> records = records(id);
		HttpResponse<String> elsewhere = postElsewhere(ORDER, headers);

		assertThat(first.body()).isEqualTo("{\"id\":\"%s\",\"status\":\"accepted\",\"attempts\":0}".formatted(id));
		assertSame(first, again, elsewhere);
		assertThat(records).hasSize(1);
	}

	@Test
	void knowsFromTheProjectionWhatItHasForgotten() throws Exception {
		String[] headers = { "Idempotency-Key", key("forgotten"), "Prefer", "respond-async" };
		HttpResponse<String> first = post(ORDER, headers);
		UUID id = idOf(first);
		project(id, "saved", 1);

		HttpResponse<String> again = postElsewhere(ORDER, headers);
		HttpResponse<String> other = postElsewhere(OTHER_ORDER, headers);

		assertSame(first, again);
		assertProblem(other, 422, "key-reused");
		assertThat(records(id)).hasSize(1);
	}

	/** According to PostgreSQL every second one belongs to another order. */
	@Test
	void tellsManyKeysAtOnceApart() throws Exception {
		List<Integer> expected = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			UUID id = idOf(post(ORDER, "Idempotency-Key", key("many " + i), "Prefer", "respond-async"));
			expected.add((i % 2 == 0) ? 422 : 201);
			if (i % 2 == 0) {
				projectRefusal(id, ORDER);
			}
		}

		List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			answers.add(sendAsync(request(gateway(), ORDER, "Idempotency-Key", key("many " + i))));
		}

		assertThat(answers).extracting((answer) -> answer.join().statusCode()).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "return=minimal, return=minimal", "respond-async, respond-async", "return=minimal, respond-async",
			"respond-async, return=minimal" })
	void refusesKeyThatWasUsedForAnotherOrder(String firstWay, String secondWay) throws Exception {
		String key = key(firstWay + " then " + secondWay);
		UUID id = idOf(post(ORDER, "Idempotency-Key", key, "Prefer", firstWay));

		HttpResponse<String> other = post(OTHER_ORDER, "Idempotency-Key", key, "Prefer", secondWay);

		assertProblem(other, 422, "key-reused");
		assertThat(idOf(post(ORDER, "Idempotency-Key", key, "Prefer", firstWay))).isEqualTo(id);
	}

	@Test
	void refusesKeyThatTheBackendKnowsForAnotherOrder() throws Exception {
		post(ORDER, "Idempotency-Key", key("at the backend"));

		HttpResponse<String> other = postElsewhere(OTHER_ORDER, "Idempotency-Key", key("at the backend"));

		assertProblem(other, 422, "key-reused");
		assertThat(audit("$.saved")).isEqualTo(1);
	}

	@Test
	@HoldsThread
	void savesOnceHoweverManyRequestsHaveOneKey() throws Exception {
		List<HttpResponse<String>> answers = atOnce(100, "Idempotency-Key", key("storm"));

		assertThat(answers).extracting(HttpResponse::statusCode).contains(201).containsOnly(201, 409);
		assertThat(answers).filteredOn((answer) -> answer.statusCode() == 201)
			.extracting(HttpResponse::body)
			.containsOnly(post(ORDER, "Idempotency-Key", key("storm")).body());
		assertThat(audit("$.saved")).isEqualTo(1);
	}

	@Test
	@HoldsThread
	void acceptsTheSameHoweverManyRequestsHaveOneKey() throws Exception {
		String[] headers = { "Idempotency-Key", key("queued-storm"), "Prefer", "respond-async" };

		List<HttpResponse<String>> answers = atOnce(100, headers);

		assertThat(answers).extracting(HttpResponse::statusCode).contains(202).containsOnly(202, 409);
		String answer = post(ORDER, headers).body();
		assertThat(answers).filteredOn((response) -> response.statusCode() == 202)
			.extracting(HttpResponse::body)
			.containsOnly(answer);
		assertThat(records(UUID.fromString(JsonPath.read(answer, "$.id")))).extracting(ConsumerRecord::value)
			.containsOnly(ORDER);
	}

	@Test
	@HoldsThread
	void refusesRepeatWhileTheFirstIsInProgress() throws Exception {
		behave("\"errorRate\":0,\"hangRate\":1,\"resetRate\":0");
		String key = key("twice");
		try (RawClient first = RawClient.connect(gateway(), PATIENCE)) {
			first.send(rawOrder("Idempotency-Key: " + key));
			await().until(() -> audit("$.inFlight") == 1);

			HttpResponse<String> second = post(ORDER, "Idempotency-Key", key);

			assertProblem(second, 409, "in-progress");
			// Not after this test: the gateway may send the call again, which would hang
			// in the next one.
			behave("\"errorRate\":0,\"hangRate\":0,\"resetRate\":0");
			first.answer();
		}
	}

	@Test
	@HoldsThread
	void answersAsSoonAsAnOrderThatIsWaitedForIsSaved() throws Exception {
		UUID id = idOf(post(ORDER, "Idempotency-Key", key("wait"), "Prefer", "respond-async"));

		CompletableFuture<HttpResponse<String>> answer = sendAsync(
				request(gateway(), ORDER, "Idempotency-Key", key("wait"), "Prefer", "respond-async, wait=300"));
		await().until(() -> waiters() == 1);
		project(id, "saved", 2);

		HttpResponse<String> response = answer.get();
		assertThat(response.statusCode()).isEqualTo(201);
		assertThat(header(response, "Location")).hasValue("/orders/" + id);
		assertThat(header(response, "Preference-Applied")).hasValue("respond-async, wait=300");
		assertThat(response.body()).isEqualTo(get("/orders/" + id).body());
	}

	@Test
	@HoldsThread
	void givesThePlaceOfAWaiterBackWhenItsClientHasGone() throws Exception {
		try (RawClient client = RawClient.connect(gateway(), PATIENCE)) {
			client.send(rawOrder("Prefer: respond-async, wait=300"));
			await().until(() -> waiters() == 1);
		}

		await().until(() -> waiters() == 0);
	}

	@Test
	@HoldsThread
	void answersWhenItHasWaitedLongEnough() throws Exception {
		HttpResponse<String> response = post(ORDER, "Prefer", "respond-async, wait=1");

		assertThat(response.statusCode()).isEqualTo(202);
		assertThat(header(response, "Preference-Applied")).hasValue("respond-async, wait=1");
		assertThat(header(response, "Retry-After")).hasValue("1");
	}

	@ParameterizedTest
	@CsvSource({ "saved, 201", "failed, 202" })
	void waitsNoLongerThanThereIsSomethingToWaitFor(String status, int expected) throws Exception {
		String key = key("wait for " + status);
		UUID id = idOf(post(ORDER, "Idempotency-Key", key, "Prefer", "respond-async"));
		project(id, status, 1);

		HttpResponse<String> response = post(ORDER, "Idempotency-Key", key, "Prefer",
				"respond-async, wait=99999999999999999999");

		assertThat(response.statusCode()).isEqualTo(expected);
		assertThat(header(response, "Preference-Applied")).hasValue("respond-async, wait=300");
	}

	@Test
	void saysThatItHasNotWaited() throws Exception {
		HttpResponse<String> unreadable = post(ORDER, "Prefer", "respond-async, wait=soon");
		HttpResponse<String> noPlace = postElsewhere(ORDER, "Prefer", "respond-async, wait=10");

		assertThat(unreadable.statusCode()).isEqualTo(202);
		assertThat(header(unreadable, "Preference-Applied")).hasValue("respond-async");
		assertThat(noPlace.statusCode()).isEqualTo(202);
		assertThat(header(noPlace, "Preference-Applied")).hasValue("respond-async");
	}

	@ParameterizedTest
	@ValueSource(strings = { "accepted", "retrying", "failed", "saved" })
	void refusesAnotherPayloadInSyncModeWhateverBecameOfTheFirst(String status) throws Exception {
		String key = key("P1 " + status);
		UUID id = idOf(postElsewhere(ORDER, "Idempotency-Key", key, "Prefer", "respond-async"));
		if (!status.equals("accepted")) {
			project(id, status, 1);
		}

		assertProblem(post(OTHER_ORDER, "Idempotency-Key", key), 422, "key-reused");

		assertThat(audit("$.received")).isZero();
		assertThat(post(ORDER, "Idempotency-Key", key).statusCode()).isEqualTo(201);
	}

	/** The backend has an order that Kafka and PostgreSQL do not know. */
	@Test
	void refusesAPayloadThatTheBackendHasRefusedForAnother() throws Exception {
		String[] headers = { "Idempotency-Key", key("conflict"), "Prefer", "respond-async" };
		UUID id = idOf(post(OTHER_ORDER, headers));
		projectRefusal(id, OTHER_ORDER);

		assertProblem(post(OTHER_ORDER, headers), 422, "key-reused");

		assertThat(post(ORDER, "Idempotency-Key", key("conflict")).statusCode()).isEqualTo(201);
	}

	@Test
	void refusesAnotherPayloadHoweverSoonItFollowsAtTheOtherGateway() throws Exception {
		List<Integer> answers = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			String key = key("soon " + i);
			idOf(postElsewhere(ORDER, "Idempotency-Key", key, "Prefer", "respond-async"));
			answers.add(post(OTHER_ORDER, "Idempotency-Key", key).statusCode());
		}

		assertThat(answers).containsOnly(422);
		assertThat(audit("$.received")).isZero();
	}

	@Test
	void knowsTheKeyOfASyncOrderAtTheOtherGatewayOnceItsOutcomeIsPublished() throws Exception {
		String key = key("sync elsewhere");
		UUID id = idOf(postElsewhere(ORDER, "Idempotency-Key", key));
		assertThat(outcomes(id)).hasSize(1);

		HttpResponse<String> other = post(OTHER_ORDER, "Idempotency-Key", key, "Prefer", "respond-async");
		HttpResponse<String> same = post(ORDER, "Idempotency-Key", key, "Prefer", "respond-async");

		assertProblem(other, 422, "key-reused");
		assertThat(same.statusCode()).isEqualTo(202);
		assertThat(records(id)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void publishesThatASyncOrderIsSaved(boolean keyed) throws Exception {
		HttpResponse<String> response = keyed ? post(ORDER, "Idempotency-Key", key("published")) : post(ORDER);
		UUID id = idOf(response);

		assertThat(outcomes(id)).singleElement().satisfies((record) -> {
			assertThat(record.key()).isEqualTo(id + "/saved/sync");
			assertThat(JsonPath.<String>read(record.value(), "$.orderId")).isEqualTo(id.toString());
			assertThat(JsonPath.<String>read(record.value(), "$.customerId")).isEqualTo("c-1");
			assertThat(JsonPath.<String>read(record.value(), "$.status")).isEqualToIgnoringCase("saved");
			assertThat(JsonPath.<Integer>read(record.value(), "$.attempts")).isEqualTo(1);
			assertThat(JsonPath.<String>read(record.value(), "$.at"))
				.isEqualTo(JsonPath.read(response.body(), "$.updatedAt"));
			assertThat(record.value()).doesNotContain("acceptedAt");
			assertThat(record.value().contains("fingerprint")).isEqualTo(keyed);
		});
	}

	@Test
	void knowsAnOrderThatAnotherGatewayHasAccepted() throws Exception {
		for (int i = 0; i < 20; i++) {
			UUID id = idOf(postElsewhere(ORDER, "Prefer", "respond-async"));

			HttpResponse<String> here = get("/orders/" + id);

			assertThat(here.statusCode()).as(here.body()).isEqualTo(200);
			assertThat(here.body()).isEqualTo(getElsewhere("/orders/" + id).body());
		}
	}

	@Test
	void saysTheSameOfASavedOrderAtEveryGateway() throws Exception {
		HttpResponse<String> saved = post(ORDER);
		String order = "/orders/" + idOf(saved);

		assertThat(get(order).body()).isEqualTo(saved.body());
		assertThat(getElsewhere(order).body()).isEqualTo(saved.body());
		assertThat(outcomes(idOf(saved))).hasSize(1);
		assertThat(getElsewhere(order).body()).isEqualTo(saved.body());
	}

	@Test
	void saysThatAFailedOrderIsSavedOnceItWasRepeatedInSyncMode() throws Exception {
		String key = key("failed, then sync");
		UUID id = idOf(postElsewhere(ORDER, "Idempotency-Key", key, "Prefer", "respond-async"));
		project(id, "failed", 3);
		keepPayload(id, ORDER);

		assertThat(post(ORDER, "Idempotency-Key", key).statusCode()).isEqualTo(201);

		assertThat(JsonPath.<String>read(get("/orders/" + id).body(), "$.status")).isEqualTo("saved");
		assertThat(JsonPath.<String>read(getElsewhere("/orders/" + id).body(), "$.status")).isEqualTo("saved");
		assertProblem(redeliver(id), 409, "not-redeliverable");
		assertThat(records(id)).hasSize(1);
	}

	/** Like after a synchronous save whose outcome was lost with Kafka. */
	@ParameterizedTest
	@ValueSource(strings = { "GET", "POST" })
	void tellsTheProjectionThatAFailedOrderIsAtTheBackend(String asked) throws Exception {
		UUID id = UUID.randomUUID();
		project(id, "failed", 3);
		keepPayload(id, ORDER);
		send(HttpRequest.newBuilder(backend().resolve("/orders"))
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", '"' + id.toString() + '"')
			.POST(BodyPublishers.ofString(ORDER)));

		if (asked.equals("GET")) {
			HttpResponse<String> status = get("/orders/" + id);
			assertThat(JsonPath.<String>read(status.body(), "$.status")).isEqualTo("saved");
			assertThat(JsonPath.<Integer>read(status.body(), "$.attempts")).isEqualTo(1);
		}
		else {
			assertProblem(redeliver(id), 409, "not-redeliverable");
		}

		assertThat(outcomes(id)).extracting(ConsumerRecord::key).containsExactly(id + "/saved/sync");
		assertThat(records(id)).isEmpty();
	}

	@Test
	@HoldsThread
	void keepsNoKeyInProgressWhoseClientHasGone() throws Exception {
		behave("\"errorRate\":0,\"hangRate\":1,\"resetRate\":0");
		String key = key("gone");
		try (RawClient client = RawClient.connect(gateway(), PATIENCE)) {
			client.send(rawOrder("Idempotency-Key: " + key));
			await().until(() -> audit("$.inFlight") == 1);
			client.reset();
		}
		behave("\"errorRate\":0,\"hangRate\":0,\"resetRate\":0");

		await().untilAsserted(() -> assertThat(post(ORDER, "Idempotency-Key", key).statusCode()).isEqualTo(201));
	}

	@Test
	@HoldsThread
	void keepsNoKeyInProgressWhileItsClientWaitsForTheOutcome() throws Exception {
		String key = key("waiting");
		CompletableFuture<HttpResponse<String>> waiting = sendAsync(
				request(gateway(), ORDER, "Idempotency-Key", key, "Prefer", "respond-async, wait=300"));
		await().until(() -> waiters() == 1);

		HttpResponse<String> again = post(ORDER, "Idempotency-Key", key, "Prefer", "respond-async");

		assertThat(again.statusCode()).as(again.body()).isEqualTo(202);
		assertThat(waiting).isNotDone();
		project(idOf(again), "failed", 1);
		assertThat(waiting.get().statusCode()).isEqualTo(202);
	}

	@ParameterizedTest
	@ValueSource(strings = { "unquoted", "\"\"", "\"a\\\\", "\"a\";b=1" })
	void refusesIdempotencyKeyThatIsNoString(String key) throws Exception {
		assertProblem(post(ORDER, "Idempotency-Key", key), 400, "invalid-request");
	}

	@Test
	void toleratesOtherPreferences() throws Exception {
		HttpResponse<String> response = post(ORDER, "Prefer", "handling=lenient; a=\"x, y\", Respond-Async; z, wait=0");

		assertThat(response.statusCode()).isEqualTo(202);
		assertThat(header(response, "Preference-Applied")).hasValue("respond-async");
		assertThat(post(ORDER, "Prefer", "return=minimal").statusCode()).isEqualTo(201);
	}

	static Stream<Arguments> invalidOrders() {
		return Stream.of(Arguments.of("", List.of()), Arguments.of("{", List.of()), Arguments.of("null", List.of()),
				Arguments.of("[]", List.of()), Arguments.of("{}", List.of("customerId", "items")),
				Arguments.of(ORDER + "x", List.of()), Arguments.of("[".repeat(60_000), List.of()),
				Arguments.of(ORDER.replace("\"c-1\"", "1"), List.of("customerId")),
				Arguments.of(ORDER.replace("2,", "\"2\","), List.of("items[0].quantity")),
				Arguments.of(ORDER.replace("2,", "2.0,"), List.of("items[0].quantity")),
				Arguments.of(ORDER.replace("2,", "0,"), List.of("items[0].quantity")),
				Arguments.of(ORDER.replace("EUR", "EURO"), List.of("items[0].unitPrice.currency")),
				Arguments.of(ORDER.replace("EUR", "EUR "), List.of("items[0].unitPrice.currency")),
				Arguments.of(ORDER.replace("{\"customerId", "{\"x\":1,\"customerId"), List.of("x")));
	}

	@ParameterizedTest
	@MethodSource("invalidOrders")
	void refusesInvalidOrder(String body, List<String> fields) throws Exception {
		HttpResponse<String> response = post(body);

		assertProblem(response, 400, "invalid-order");
		assertThat(JsonPath.<List<String>>read(response.body(), "$..errors[*].field")).isEqualTo(fields);
		assertThat(response.body()).doesNotContain("dev.sluice", "java.", "jackson");
	}

	@Test
	void refusesBodyThatIsTooLarge() throws Exception {
		byte[] body = " ".repeat(Order.MAX_BYTES + 1).getBytes(StandardCharsets.UTF_8);

		for (BodyPublisher publisher : List.of(BodyPublishers.ofByteArray(body), ofUnknownLength(body))) {
			assertProblem(send(order(gateway(), publisher)), 413, "too-large");
		}
	}

	@Test
	void takesBodyOfTheGreatestSize() throws Exception {
		String body = ORDER + " ".repeat(Order.MAX_BYTES - ORDER.length());

		assertThat(post(body).statusCode()).isEqualTo(201);
		assertThat(send(order(gateway(), ofUnknownLength(body.getBytes(StandardCharsets.UTF_8)))).statusCode())
			.isEqualTo(201);
	}

	private static BodyPublisher ofUnknownLength(byte[] body) {
		return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "text/plain", "application/xml", "nonsense", "/json" })
	void refusesOtherMediaTypes(@Nullable String mediaType) throws Exception {
		HttpRequest.Builder request = HttpRequest.newBuilder(gateway().resolve("/orders"))
			.POST(BodyPublishers.ofString(ORDER));

		assertProblem(send((mediaType != null) ? request.header("Content-Type", mediaType) : request), 415,
				"unsupported-media-type");
	}

	/** Whether or not the body is what its label says. */
	@ParameterizedTest
	@ValueSource(strings = { "gzip", "identity, gzip" })
	void refusesContentCodings(String coding) throws Exception {
		HttpResponse<String> response = post(ORDER, "Content-Encoding", coding);

		assertProblem(response, 415, "unsupported-media-type");
		assertThat(header(response, "Accept-Encoding")).hasValue("identity");
		assertThat(post(ORDER, "Content-Encoding", "Identity").statusCode()).isEqualTo(201);
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/html", "nonsense" })
	void refusesClientThatAcceptsNoJson(String accepted) throws Exception {
		assertProblem(post(ORDER, "Accept", accepted), 406, "not-acceptable");
		assertThat(audit("$.received")).isZero();
	}

	@Test
	void saysWhichMethodsAPathKnows() throws Exception {
		HttpResponse<String> response = send(
				HttpRequest.newBuilder(gateway().resolve("/orders")).PUT(BodyPublishers.ofString(ORDER)));

		assertProblem(response, 405, "method-not-allowed");
		assertThat(header(response, "Allow").orElse("").split(", ?")).containsExactlyInAnyOrder("GET", "POST");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/nothing", "/orders/a/b", "/error", "/actuator/health" })
	void knowsNothingAtOtherPathsWhateverTheMethod(String path) throws Exception {
		for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE")) {
			assertProblem(send(HttpRequest.newBuilder(gateway().resolve(path)).method(method, BodyPublishers.noBody())),
					404, "not-found");
		}
	}

	@Test
	void writesNoLineForEachRequestThatNobodyServes() throws Exception {
		int requests = 20;
		double before = logged("warn") + logged("error");

		for (int i = 0; i < requests; i++) {
			assertProblem(get("/nothing"), 404, "not-found");
			assertProblem(send(HttpRequest.newBuilder(gateway().resolve("/orders")).DELETE()), 405,
					"method-not-allowed");
			answersWhatIsNoHttpWithAProblem("GET /%zz HTTP/1.1\r\nHost: a");
		}

		// Other tests may log something meanwhile.
		assertThat(logged("warn") + logged("error") - before).isLessThan(requests);
	}

	/** GatewayEdgeContract has more. */
	@ParameterizedTest
	@ValueSource(
			strings = { "GET /%zz HTTP/1.1\r\nHost: a", "GET /orders?status=failed&after=%ff%fe HTTP/1.1\r\nHost: a" })
	void answersWhatIsNoHttpWithAProblem(String request) throws Exception {
		try (RawClient raw = RawClient.connect(gateway(), PATIENCE)) {
			assertBlamesTheClient(raw.send(request + "\r\nConnection: close\r\n\r\n").rest());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 100\r\n\r\n", "Content-Length: 100\r\n\r\n{",
			"Transfer-Encoding: chunked\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n64\r\n{" })
	void blamesTheClientForABodyThatIsCutOff(String cut) throws Exception {
		double errors = logged("error");

		try (RawClient raw = RawClient.connect(gateway(), PATIENCE)) {
			raw.send("POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + cut);
			String response = raw.end().rest();
			// A client that has hung up need not get an answer.
			if (!response.isEmpty()) {
				assertBlamesTheClient(response);
			}
		}
		assertThat(logged("error")).isEqualTo(errors);
		assertThat(audit("$.received")).isZero();
	}

	@Test
	void listsFailedOrdersPageByPage() throws Exception {
		List<String> failed = new ArrayList<>();
		update("DELETE FROM order_status WHERE status = 'failed'");
		for (int i = 0; i < 5; i++) {
			UUID id = UUID.randomUUID();
			project(id, "failed", 3);
			failed.add(id.toString());
		}
		project(UUID.randomUUID(), "saved", 1);

		List<String> listed = new ArrayList<>();
		HttpResponse<String> page = get("/orders?status=failed&limit=2");
		listed.addAll(JsonPath.<List<String>>read(page.body(), "$.orders[*].id"));
		while (page.body().contains("\"next\"")) {
			assertThat(JsonPath.<Integer>read(page.body(), "$.orders.length()")).isEqualTo(2);
			page = get("/orders?limit=2&status=failed&after=" + JsonPath.read(page.body(), "$.next"));
			assertThat(page.statusCode()).isEqualTo(200);
			listed.addAll(JsonPath.<List<String>>read(page.body(), "$.orders[*].id"));
		}

		assertThat(listed).isEqualTo(failed);
		String order = get("/orders/" + failed.getLast()).body();
		assertThat(page.body()).isEqualTo("{\"orders\":[" + order + "]}");
		assertThat(JsonPath.<List<?>>read(get("/orders?status=failed").body(), "$.orders")).hasSize(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "?status=", "?status=Failed", "?status=failed&status=failed", "?status=failed&limit=",
			"?status=failed&limit=-1", "?status=failed&limit=0", "?status=failed&limit=1001", "?status=failed&limit=x",
			"?status=failed&limit=1&limit=1", "?status=failed&after=", "?status=failed&after=AAAA",
			"?status=failed&after=f_________AAAAAAAAAAAAAAAAAAAAAA",
			"?status=failed&after=__________________________________________", "?status=failed&offset=1" })
	void listsNothingElse(String parameters) throws Exception {
		assertProblem(get("/orders" + parameters), 400, "invalid-request");
	}

	@Test
	void enqueuesAFailedOrderAgain() throws Exception {
		UUID id = UUID.randomUUID();
		project(id, "failed", 3);
		keepPayload(id, ORDER);

		HttpResponse<String> response = redeliver(id);

		assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
		assertThat(response.body()).isEqualTo("{\"id\":\"%s\",\"status\":\"accepted\",\"attempts\":0}".formatted(id));
		assertThat(header(response, "Location")).hasValue("/orders/" + id);
		assertThat(header(response, "Retry-After")).hasValue("1");
		ConsumerRecord<String, String> record = queued(id);
		assertThat(record.key()).isEqualTo("c-1");
		assertThat(record.value()).isEqualTo(ORDER);
	}

	@Test
	void tellsAtOnceThatAFailedOrderIsAcceptedAgainAndThenThatItFailedAgain() throws Exception {
		UUID id = UUID.randomUUID();
		project(id, "failed", 3);
		keepPayload(id, ORDER);
		String acceptedAt = JsonPath.read(get("/orders/" + id).body(), "$.acceptedAt");
		assertThat(redeliver(id).statusCode()).isEqualTo(202);

		HttpResponse<String> again = get("/orders/" + id);
		update("UPDATE order_status SET updated_at = now() WHERE order_id = ?", id);
		HttpResponse<String> failed = get("/orders/" + id);

		assertThat(JsonPath.<String>read(again.body(), "$.status")).isEqualTo("accepted");
		assertThat(JsonPath.<Integer>read(again.body(), "$.attempts")).isZero();
		assertThat(JsonPath.<String>read(again.body(), "$.acceptedAt")).isEqualTo(acceptedAt);
		assertThat(again.body()).doesNotContain("reason");
		assertThat(header(again, "Retry-After")).hasValue("1");
		assertThat(JsonPath.<String>read(failed.body(), "$.status")).isEqualTo("failed");
	}

	@ParameterizedTest
	@CsvSource({ "accepted,", "retrying,", "saved,", "failed,", "failed, {}" })
	void redeliversOnlyWhatHasFailedAndIsKnownAndIsAnOrder(String status, @Nullable String payload) throws Exception {
		UUID id = UUID.randomUUID();
		project(id, status, 1);
		keepPayload(id, payload);

		assertProblem(redeliver(id), 409, "not-redeliverable");
		assertThat(records(id)).isEmpty();
	}

	@Test
	void redeliversNothingThatNobodyOrOnlyTheBackendKnows() throws Exception {
		UUID saved = idOf(post(ORDER));
		UUID accepted = idOf(post(ORDER, "Prefer", "respond-async"));

		assertProblem(redeliver(saved), 409, "not-redeliverable");
		assertProblem(redeliver(accepted), 409, "not-redeliverable");
		assertProblem(redeliver(UUID.randomUUID()), 404, "not-found");
		assertProblem(redeliver(1), 400, "invalid-request");
	}

	@Test
	void knowsNoOrderThatNobodyPlaced() throws Exception {
		assertProblem(get("/orders/" + UUID.randomUUID()), 404, "not-found");
	}

	@ParameterizedTest
	@ValueSource(strings = { "1", "1-1-1-1-1", "019ab000-0000-7000-8000-00000000000g" })
	void refusesIdThatIsNone(String id) throws Exception {
		assertProblem(get("/orders/" + id), 400, "invalid-request");
	}

	@ParameterizedTest
	@CsvSource({ "400, 0, 502, backend-refused", "500, 0, 502, backend-refused", "429, 0, 503, backend-unavailable",
			"503, 0, 503, backend-unavailable", "503, 1, 503, backend-unavailable" })
	void saysThatTheBackendFailedAndAcceptsQueuedOrders(int answer, int resets, int status, String type)
			throws Exception {
		behave("\"errorRate\":%s,\"errorStatus\":%s,\"hangRate\":0,\"resetRate\":%s".formatted(1 - resets, answer,
				resets));

		HttpResponse<String> response = post(ORDER);

		assertProblem(response, status, type);
		if (type.equals("backend-refused")) {
			assertThat(JsonPath.<String>read(response.body(), "$.detail")).contains(Integer.toString(answer));
		}
		assertPlaced(response, (answer == 400) ? "no" : "unknown");
		assertThat(post(ORDER, "Prefer", "respond-async").statusCode()).isEqualTo(202);
	}

	@Test
	void describesItself() throws Exception {
		HttpResponse<String> response = get("/openapi.json");

		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(header(response, "Content-Type")).hasValue("application/json");
		assertThat(response.body().getBytes(StandardCharsets.UTF_8)).isEqualTo(this.api.bytes());
	}

	@Test
	void describesItselfToPeople() throws Exception {
		HttpResponse<String> response = get("/docs");

		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(header(response, "Content-Type").orElseThrow()).startsWith("text/html");
		assertThat(response.body()).contains("fetch('openapi.json')", "default-src 'none'")
			.doesNotContainPattern("(src|href)=\"(https?:|//)");
	}

	@Test
	void showsItsMetrics() throws Exception {
		post(ORDER);
		post(ORDER, "Prefer", "respond-async");

		String metrics = manage("/actuator/prometheus").body();

		assertThat(metrics).contains("sluice_orders_total{", "mode=\"sync\",outcome=\"saved\"",
				"mode=\"queued\",outcome=\"accepted\"", "sluice_order_duration_seconds_bucket{",
				"sluice_orders_in_flight{", "resilience4j_bulkhead_max_allowed_concurrent_calls{",
				"resilience4j_circuitbreaker_state{", "kafka_producer_");
	}

	private static void assertBlamesTheClient(String response) {
		assertThat(response).startsWith("HTTP/1.1 400 ")
			.containsIgnoringCase("content-type: application/problem+json")
			.contains("urn:sluice:problem:invalid-request");
	}

	@SafeVarargs
	private static void assertSame(HttpResponse<String> first, HttpResponse<String>... others) {
		assertThat(others).allSatisfy((other) -> {
			assertThat(other.statusCode()).isEqualTo(first.statusCode());
			assertThat(other.body()).isEqualTo(first.body());
			assertThat(withoutDate(other)).isEqualTo(withoutDate(first));
		});
	}

	private static Map<String, List<String>> withoutDate(HttpResponse<String> response) {
		Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		headers.putAll(response.headers().map());
		headers.remove("Date");
		return headers;
	}

	private static UUID idOf(HttpResponse<String> response) {
		assertThat(response.statusCode()).as(response.body()).isIn(201, 202);
		return UUID.fromString(JsonPath.read(response.body(), "$.id"));
	}

	/** As a restart of PostgreSQL does. One request may notice the end itself. */
	@Test
	void asksOverAnotherConnectionOnceItsOwnAreClosed() throws Exception {
		HttpRequest.Builder status = HttpRequest.newBuilder(gateway().resolve("/orders/" + UUID.randomUUID()));
		send(status);
		try (Connection connection = database(); Statement statement = connection.createStatement()) {
			statement.execute("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
					+ "WHERE usename = current_user AND pid <> pg_backend_pid()");
		}

		List<Integer> answers = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			answers.add(this.client.send(status.build(), BodyHandlers.ofString()).statusCode());
		}

		// A pause of the machine may cost some more. Dead connections cost all ten.
		assertThat(answers).filteredOn((answer) -> answer != 404).hasSizeLessThan(5);
	}

	/**
	 * A key that no other run of this suite has used: they share Kafka and PostgreSQL.
	 */
	private String key(String name) {
		return '"' + name + " " + this.run + '"';
	}

	/** An order with a header, for a client that does not wait for its answer. */
	private static String rawOrder(String header) {
		return "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n%s\r\nContent-Length: %s\r\n\r\n%s"
			.formatted(header, ORDER.length(), ORDER);
	}

	private static HttpRequest request(URI gateway, String body, String... headers) {
		return order(gateway, BodyPublishers.ofString(body), headers).build();
	}

	private HttpResponse<String> postElsewhere(String body, String... headers) throws Exception {
		return send(order(otherGateway(), BodyPublishers.ofString(body), headers));
	}

	/** Sends the same order several times, alternating between both gateways. */
	private List<HttpResponse<String>> atOnce(int requests, String... headers) {
		List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			HttpRequest request = request((i % 2 == 0) ? gateway() : otherGateway(), ORDER, headers);
			answers.add(sendAsync(request));
		}
		return answers.stream().map(CompletableFuture::join).toList();
	}

	/** Writes the status of an order with {@link #ORDER}'s payload. */
	private void project(UUID id, String status, int attempts) throws SQLException {
		update("""
				INSERT INTO order_status
				    (order_id, customer_id, status, attempts, accepted_at, updated_at, reason, fingerprint)
				VALUES (?, 'c-1', ?, ?, now(), now(), 'because', decode(?, 'hex'))""", id, status, attempts,
				Fingerprint.ofJson(ORDER.getBytes(StandardCharsets.UTF_8)).hex());
	}

	/** Writes that the backend has another order, for which it refused this one. */
	private void projectRefusal(UUID id, String refused) throws SQLException {
		update("INSERT INTO order_status (order_id, customer_id, status, attempts, updated_at, conflict) "
				+ "VALUES (?, 'c-1', 'saved', 1, now(), decode(?, 'hex'))", id,
				Fingerprint.ofJson(refused.getBytes(StandardCharsets.UTF_8)).hex());
	}

	private void keepPayload(UUID id, @Nullable String payload) throws SQLException {
		update("UPDATE order_status SET payload = ? WHERE order_id = ?", payload, id);
	}

	private static Connection database() throws SQLException {
		PostgresService postgres = DevServices.shared().postgres();
		return DriverManager.getConnection(postgres.jdbcUrl(), postgres.username(), postgres.password());
	}

	private static void update(String sql, Object... parameters) throws SQLException {
		try (Connection connection = database(); PreparedStatement update = connection.prepareStatement(sql)) {
			for (int i = 0; i < parameters.length; i++) {
				update.setObject(i + 1, parameters[i]);
			}
			update.executeUpdate();
		}
	}

	/** Number of lines of a level so far; a client's mistake must not cause an error. */
	private double logged(String level) throws Exception {
		return metric("logback_events_total{level=\"%s\"}".formatted(level));
	}

	private double waiters() throws Exception {
		return metric("sluice_waiters ");
	}

	private HttpResponse<String> getElsewhere(String path) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(otherGateway().resolve(path)));
	}

	@Override
	HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		HttpRequest sent = request.timeout(PATIENCE).build();
		HttpResponse<String> response = checked(sent, this.client.send(sent, BodyHandlers.ofString()));
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (isToBeRepeated(response) && System.nanoTime() - deadline < 0) {
			Thread.sleep(RETRY_AFTER);
			response = checked(sent, this.client.send(sent, BodyHandlers.ofString()));
		}
		return response;
	}

	private CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest request) {
		return this.client.sendAsync(request, BodyHandlers.ofString())
			.thenApply((response) -> checked(request, response))
			.thenCompose((response) -> isToBeRepeated(response) ? CompletableFuture.runAsync(() -> {
			}, CompletableFuture.delayedExecutor(RETRY_AFTER.toMillis(), TimeUnit.MILLISECONDS))
				.thenCompose((_) -> sendAsync(request)) : CompletableFuture.completedFuture(response));
	}

	/**
	 * A gateway that has stood still may lack an answer of Kafka and ask its clients to
	 * come again. What it says of the backend is final, because the tests ask for it.
	 */
	private static boolean isToBeRepeated(HttpResponse<String> response) {
		return response.statusCode() == 503 && response.body().contains("urn:sluice:problem:")
				&& !response.body().contains("backend-unavailable")
				&& !response.body().contains("\"placed\":\"unknown\"");
	}

	/** Every answer of a gateway must be described in the API document. */
	private HttpResponse<String> checked(HttpRequest request, HttpResponse<String> response) {
		boolean ofBackend = request.uri().getAuthority().equals(backend().getAuthority());
		return ofBackend ? response : this.api.checked(request, response);
	}

	private void behave(String faults) throws IOException, InterruptedException {
		String behaviour = """
				{"delay":{"kind":"fixed","millis":0},%s%s,"maxNewConnectionsPerSecond":0,
				"capacity":{"model":"unlimited"}}""".formatted(faults,
				faults.contains("errorStatus") ? "" : ",\"errorStatus\":503");
		HttpResponse<String> response = send(HttpRequest.newBuilder(backend().resolve("/behaviour"))
			.header("Content-Type", "application/json")
			.PUT(BodyPublishers.ofString(behaviour)));
		assertThat(response.statusCode()).as(response.body()).isBetween(200, 204);
	}

	private int audit(String path) throws IOException, InterruptedException {
		return JsonPath.read(send(HttpRequest.newBuilder(backend().resolve("/audit"))).body(), path);
	}

	private ConsumerRecord<String, String> queued(UUID id) {
		List<ConsumerRecord<String, String>> found = records(id);
		assertThat(found).hasSize(1);
		return found.getFirst();
	}

	/** All records of an order: its caller was answered, so they are durable. */
	private List<ConsumerRecord<String, String>> records(UUID id) {
		return records(Topics.ORDERS, (record) -> id.toString().equals(headers(record).get(OrderHeaders.ID)));
	}

	/** The outcomes of an order, at least one; it arrives after the answer. */
	private List<ConsumerRecord<String, String>> outcomes(UUID id) {
		return await().until(() -> records(Topics.ORDER_OUTCOMES, (record) -> record.key().startsWith(id.toString())),
				(found) -> !found.isEmpty());
	}

	private List<ConsumerRecord<String, String>> records(String topic,
			Predicate<ConsumerRecord<String, String>> wanted) {
		List<ConsumerRecord<String, String>> found = new ArrayList<>();
		try (KafkaConsumer<String, String> consumer = consumer()) {
			List<TopicPartition> partitions = consumer.partitionsFor(topic)
				.stream()
				.map((partition) -> new TopicPartition(partition.topic(), partition.partition()))
				.toList();
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			await().until(() -> {
				for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
					if (wanted.test(record)) {
						found.add(record);
					}
				}
				return partitions.stream().allMatch((partition) -> consumer.position(partition) >= ends.get(partition));
			});
		}
		return found;
	}

	private static Map<String, String> headers(ConsumerRecord<?, ?> record) {
		Map<String, String> headers = new HashMap<>();
		record.headers()
			.forEach((header) -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
		return headers;
	}

	private KafkaConsumer<String, String> consumer() {
		return new KafkaConsumer<>(
				Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, DevServices.shared().kafka().bootstrapServers(),
						ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false),
				new StringDeserializer(), new StringDeserializer());
	}

}
