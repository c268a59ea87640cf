package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.SetTime;
import dev.sluice.consumer.TestProducer;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.Backend;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.limiter.BackendHealth;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.consumer.outcome.DeadLetters;
import dev.sluice.consumer.outcome.OutcomePublisher;
import dev.sluice.consumer.outcome.ReliablePublisher;
import dev.sluice.contract.DeadLetterHeaders;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.sink.Script;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static dev.sluice.consumer.TestProducer.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A delivery with a backend and a producer that answer as the test says. */
class DeliveryTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final UUID KEYED = UUID.fromString("019ab000-0000-8000-8000-000000000001");

	private static final RetryLater BUSY = new RetryLater(
			FailureReason.failed(503, "the backend answered 503: 10.0.0.7 is down"), Reach.ANSWERED);

	private static final RetryLater UNANSWERED = new RetryLater(FailureReason.failed(504, "the backend answered 504"),
			Reach.UNANSWERED);

	private static final Rejected REJECTED = new Rejected(
			FailureReason.refused(422, "the backend answered 422: no such sku"));

	private static final Saved SAVED = new Saved(null);

	private static final Instant NOW = Instant.parse("2026-11-21T10:00:01Z");

	private static final int MAX_ATTEMPTS = 3;

	private static final RecordReader READER = new RecordReader();

	private final TestProducer producer = new TestProducer();

	private final AtomicInteger calls = new AtomicInteger();

	private final AtomicReference<Boolean> finished = new AtomicReference<>();

	private final AtomicReference<Throwable> bug = new AtomicReference<>();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final PayloadHistory payloads = new PayloadHistory(10);

	/** What look-ups of the order find, in turn. */
	private final Queue<Optional<Saved>> found = new ArrayDeque<>();

	private Runnable lookUp = () -> {
	};

	private Duration maxAge = Duration.ZERO;

	private Time time = Time.SYSTEM;

	private DeliveryLimiter limiter = limiter(2);

	private Backoff backoff = noWait();

	private ConsumerRecord<byte[], byte[]> record = good();

	private @Nullable Delivery started;

	private final List<String> waits = new ArrayList<>();

	/**
	 * An outcome is a status and a number of attempts; a dead letter has a kind instead.
	 */
	private final Script script = new Script()
		.word("places", (limit) -> this.limiter = limiter(Integer.parseInt(limit.getFirst())))
		.word("max-age", (age) -> this.maxAge = Script.time(age.getFirst()))
		.word("keyed", (_) -> this.record = Records.order(KEYED).at(7))
		.word("without-id", (_) -> this.record = Records.order(ID).header(OrderHeaders.ID, null).at(7))
		.word("others-saved", (_) -> {
			another(SAVED);
			this.backoff = anotherSavedMeanwhile();
		})
		.word("backoff", (bounds) -> {
			this.backoff = new Backoff(Script.time(bounds.getFirst()), Script.time(bounds.getLast()), () -> 1);
			this.time = new Time() {

				@Override
				public void sleep(Duration duration) {
					DeliveryTests.this.waits.add(duration.toSeconds() + "s");
				}

			};
		})
		.word("found",
				(saved) -> saved.forEach((at) -> this.found
					.add(at.equals("nothing") ? Optional.empty() : Optional.of(new Saved(Instant.parse(at))))))
		.word("unacknowledged", (_) -> {
			this.producer.failures.add(new TimeoutException("no acknowledgement"));
			this.producer.refuses = (_) -> {
				assertThat(this.finished).as("before Kafka acknowledges").hasValue(null);
				return this.producer.failures.poll();
			};
		})
		.word("queue", (_) -> {
			for (int i = 0; i < this.limiter.limit(); i++) {
				this.limiter.acquire();
			}
		})
		.word("start", (answers) -> {
			this.started = delivery(answering(attempts(answers)), this.backoff, this.record);
			this.started.start();
		})
		.word("cancel", (_) -> cancel(this.started))
		.word("deliver", (answers) -> run(delivery(answering(attempts(answers)), this.backoff, this.record)))
		.shown("outcomes", () -> this.producer.outcomes().stream().map(DeliveryTests::text).toList())
		.shown("letters", () -> this.producer.deadLetters()
			.stream()
			.map((letter) -> header(letter, DeadLetterHeaders.KIND) + "/" + header(letter, DeadLetterHeaders.ATTEMPTS))
			.toList())
		.shown("waits", () -> this.waits)
		.shown("last",
				() -> List.of(text(this.producer.outcomes().getLast()),
						this.producer.outcomes().getLast().at().toString()))
		.is(() -> "calls=%s in-flight=%s open=%s found=%s finished=%s retrying=%s saved=%s failed=%s throttled=%s"
			.formatted(this.calls, this.limiter.inFlight(), this.limiter.isOpen(), this.found.size(), this.finished,
					(long) published("retrying"), (long) published("saved"), (long) published("failed"),
					throttlings()));

	private long throttlings() {
		return this.registry.find("sluice.delivery.duration")
			.tag("outcome", "throttled")
			.timers()
			.stream()
			.mapToLong(Timer::count)
			.sum();
	}

	private static String text(OrderOutcome outcome) {
		return outcome.status().name().toLowerCase(Locale.ROOT) + "/" + outcome.attempts();
	}

	/** {@code busy*3} are three answers; the last one is given again and again. */
	private static Attempt[] attempts(List<String> answers) {
		List<Attempt> attempts = new ArrayList<>();
		for (String answer : answers) {
			String[] parts = answer.split("[*:]");
			attempts
				.addAll(Collections.nCopies(answer.contains("*") ? Integer.parseInt(parts[1]) : 1, switch (parts[0]) {
					case "saved" -> SAVED;
					case "busy" -> BUSY;
					case "unanswered" -> UNANSWERED;
					case "throttled" -> throttled(answer.contains(":") ? Script.time(parts[1]) : Duration.ZERO);
					default -> throw new IllegalArgumentException(answer);
				}));
		}
		return attempts.toArray(Attempt[]::new);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				gives up an order that fails while others are saved
					others-saved; deliver busy; outcomes retrying/1 retrying/2 retrying/3 failed/3; letters exhausted/3
					is calls=3 retrying=3 failed=1 finished=true
				never gives up an order that is alone
					deliver busy*49 saved; is calls=50 retrying=49 saved=1; last saved/50 2026-11-21T10:00:01Z; letters
				gives up an order that is too old whatever the cause
					max-age 876544us; deliver busy; is finished=true; deliver throttled; outcomes failed/1 failed/1
					max-age 876544001ns; deliver busy saved; outcomes failed/1 failed/1 retrying/1 saved/2
					letters exhausted/1 exhausted/1
				asks for an order after an attempt without answer
					found nothing 2026-11-21T09:59:59Z; deliver busy unanswered
					outcomes retrying/1 retrying/2 retrying/3 saved/3
					is calls=3 found=0 in-flight=0; last saved/3 2026-11-21T09:59:59Z
				asks for an order before it gives it up
					max-age 1ns; found 2026-11-21T09:59:59Z; deliver unanswered; outcomes saved/1; letters
					found nothing; deliver unanswered; outcomes saved/1 failed/1; letters exhausted/1
					is calls=2 found=0 in-flight=0
				sends an order with a key again until its last attempt if the backend had its id before its first
					keyed; found 2026-11-21T10:00:00Z; deliver unanswered; is calls=3 saved=1
				sends an order with a key again once if the backend has its id since
					keyed; found 2026-11-21T10:00:02Z; deliver unanswered; is calls=2 saved=1
				burns no attempt when it is throttled
					places 4; others-saved; deliver throttled*5 saved; outcomes saved/1; letters
					is throttled=5 open=false
				waits longer after each failure in a row, and each throttling in a row
					backoff 1s 1h
					deliver throttled:10s throttled:10s busy busy throttled:10s throttled:9223372036854775807s saved
					waits 11s 12s 1s 2s 11s 3602s
				publishes again instead of delivering again
					unacknowledged; deliver saved; outcomes saved/1; is calls=1 finished=true
				says nothing of an unreadable record without an id
					without-id; deliver saved; outcomes; letters unreadable/0; is calls=0 finished=true
				ends unfinished when it is cancelled in the queue
					queue; start saved; cancel; is finished=false calls=0 in-flight=2
				""");
	}

	@Test
	void finishesWhenSaved() throws InterruptedException {
		Instant at = Instant.parse("2026-11-21T09:59:59.123456Z");

		deliver(new Saved(at));

		assertThat(this.producer.outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.at()).isEqualTo(at);
			assertThat(outcome.orderId()).isEqualTo(ID);
			assertThat(outcome.customerId()).isEqualTo("c-1");
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.attempts()).isEqualTo(1);
			assertThat(outcome.reason()).isNull();
		});
		assertThat(published("saved")).isEqualTo(1);
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void laysARejectedOrderIntoTheDeadLettersBeforeItSaysSo() throws InterruptedException {
		reject(good());

		assertThat(this.calls).hasValue(1);
		assertThat(this.producer.history()).extracting(ProducerRecord::topic)
			.containsExactly(Topics.ORDER_OUTCOMES, Topics.ORDERS_DLT, Topics.ORDER_OUTCOMES);
		ProducerRecord<byte[], byte[]> deadLetter = this.producer.deadLetters().getFirst();
		assertThat(header(deadLetter, DeadLetterHeaders.KIND)).isEqualTo("rejected");
		assertThat(header(deadLetter, DeadLetterHeaders.REASON)).isEqualTo("the backend answered 422: no such sku");
		assertThat(header(deadLetter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::status)
			.containsExactly(OrderStatus.RETRYING, OrderStatus.FAILED);
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::reason)
			.as("operators get the detail")
			.containsOnly("The backend refused the order (status 422).");
		assertThat(this.producer.outcomes().getLast().order()).isEqualTo(Records.BODY);
		assertThat(this.finished).hasValue(true);
	}

	/** The outcome of the order that the backend has may be lost. */
	@Test
	void buriesAConflictAndPublishesThatTheBackendHasTheOther() throws InterruptedException {
		deliver(new Conflict(FailureReason.otherPayload("the backend answered 422: key reused")));

		assertThat(this.producer.outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.fingerprint()).isNull();
			assertThat(outcome.conflict()).isEqualTo(Fingerprint.ofJson(good().value()).hex());
		});
		assertThat(header(this.producer.deadLetters().getFirst(), DeadLetterHeaders.KIND)).isEqualTo("conflict");
		assertThat(header(this.producer.deadLetters().getFirst(), DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
		assertThat(this.registry.get("sluice.dead.letters").tag("kind", "conflict").counter().count()).isEqualTo(1);
		assertThat(published("saved")).isZero();
		assertThat(this.finished).hasValue(true);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void neverDeliversAnotherPayloadThanTheFirst(boolean saved) throws InterruptedException {
		ConsumerRecord<byte[], byte[]> first = Records.order(KEYED).at(7);
		if (saved) {
			run(delivery(answering(SAVED), first));
		}
		else {
			reject(first);
		}
		this.finished.set(null);
		run(delivery(answering(SAVED), Records.order(KEYED).value("{\"other\":1}").at(8)));
		assertThat(this.finished).hasValue(true);
		run(delivery(answering(SAVED), Records.order(KEYED).at(9)));

		assertThat(this.calls).hasValue(2);
		assertThat(this.producer.outcomes()).filteredOn((outcome) -> outcome.status() != OrderStatus.RETRYING)
			.allSatisfy(
					(outcome) -> assertThat(outcome.fingerprint()).isEqualTo(Fingerprint.ofJson(first.value()).hex()))
			.extracting(OrderOutcome::status)
			.containsExactly(saved ? OrderStatus.SAVED : OrderStatus.FAILED, OrderStatus.SAVED);
		assertThat(this.producer.deadLetters())
			.filteredOn((letter) -> header(letter, DeadLetterHeaders.KIND).equals("conflict"))
			.singleElement()
			.satisfies((letter) -> {
				assertThat(new String(letter.value())).isEqualTo("{\"other\":1}");
				assertThat(header(letter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("0");
			});
	}

	@Test
	void tellsOfABugAndHoldsNoPlace() throws InterruptedException {
		IllegalStateException failure = new IllegalStateException("a bug");

		run(delivery((order) -> {
			throw failure;
		}, good()));

		assertThat(this.finished).hasValue(false);
		assertThat(this.bug).hasValue(failure);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void keepsNoMoreThanAnOrderOfWhatWasRejected() throws InterruptedException {
		String longest = "{}" + " ".repeat(Order.MAX_BYTES - 2);

		reject(Records.order(ID).value(longest).at(7));
		reject(Records.order(ID).value(longest + " ").at(8));

		assertThat(this.producer.outcomes()).filteredOn((outcome) -> outcome.status() == OrderStatus.FAILED)
			.extracting(OrderOutcome::order)
			.containsExactly(longest, null);
		assertThat(this.producer.deadLetters()).hasSize(2);
	}

	@Test
	void laysAnUnreadableRecordIntoTheDeadLetters() throws InterruptedException {
		run(delivery(answering(SAVED), Records.order(ID).value("no JSON").at(7)));

		assertThat(this.calls).hasValue(0);
		ProducerRecord<byte[], byte[]> deadLetter = this.producer.deadLetters().getFirst();
		assertThat(header(deadLetter, DeadLetterHeaders.KIND)).isEqualTo("unreadable");
		assertThat(header(deadLetter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("0");
		assertThat(header(deadLetter, DeadLetterHeaders.STACK)).contains("IllegalArgumentException", "RecordReader");
		assertThat(this.producer.outcomes()).singleElement()
			.extracting(OrderOutcome::status)
			.isEqualTo(OrderStatus.FAILED);
		assertThat(this.producer.outcomes().getFirst().order()).isNull();
		// Otherwise the projection could not tell it from an outcome before the
		// acceptance.
		assertThat(this.producer.outcomes().getFirst().acceptedAt()).isNotNull();
		assertThat(this.finished).hasValue(true);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "c-2",
			// Its outcome would be larger than its topic takes.
			"c-34567890123456789012345678901234567890123456789012345678901234567890" })
	void namesTheCustomerOfAnUnreadableRecordIfItIsKnown(@Nullable String key) throws InterruptedException {
		run(delivery(answering(SAVED), Records.order(ID).key(key).value("no JSON").at(7)));

		assertThat(this.producer.outcomes()).singleElement()
			.extracting(OrderOutcome::customerId)
			.isEqualTo("c-2".equals(key) ? "c-2" : "unknown");
	}

	/** A bug would end the delivery of all orders, again after each restart. */
	@ParameterizedTest
	@ValueSource(strings = { "-1000000000-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "2500-01-01T00:00:00Z",
			"+1000000000-12-31T23:59:59Z" })
	@ExtendWith(OutputCaptureExtension.class)
	void finishesARecordWithAnOddTime(String time, CapturedOutput output) throws InterruptedException {
		run(delivery(answering(SAVED), Records.order(ID).header(OrderHeaders.TIME, time).at(7)));

		assertThat(this.bug).hasNullValue();
		assertThat(this.producer.outcomes()).hasSize(1);
		assertThat(this.finished).hasValue(true);
		assertThat(output).as("the gateway's clock may be ahead").doesNotContain("negative");
	}

	@Test
	void endsUnfinishedWhenCancelledInALookUp() throws InterruptedException {
		CountDownLatch asked = new CountDownLatch(1);
		this.lookUp = () -> {
			asked.countDown();
			LockSupport.park();
		};
		this.found.add(Optional.of(SAVED));
		Delivery delivery = delivery(answering(UNANSWERED), good());
		delivery.start();
		asked.await();

		cancel(delivery);

		assertThat(this.finished).hasValue(false);
		assertThat(this.calls).hasValue(1);
		assertThat(this.limiter.inFlight()).isZero();
	}

	/** It ends its attempt, and must not wait for another one, unless it is abandoned. */
	@ParameterizedTest
	@MethodSource
	void beginsNothingMoreWhenCancelledInAnAttempt(Attempt attempt, List<OrderStatus> published, boolean abandoned)
			throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch proceed = new CountDownLatch(1);
		Delivery delivery = delivery(held(begun, proceed, attempt),
				new Backoff(Duration.ofHours(1), Duration.ofHours(1), () -> 1), good());
		delivery.start();
		begun.await();

		delivery.cancel();
		assertThat(delivery.awaitEnd(Duration.ZERO)).isFalse();
		if (abandoned) {
			delivery.abandon();
		}
		else {
			proceed.countDown();
		}

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(published.contains(OrderStatus.SAVED));
		assertThat(this.calls).hasValue(1);
		assertThat(this.limiter.inFlight()).isZero();
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::status).containsExactlyElementsOf(published);
	}

	static Stream<Arguments> beginsNothingMoreWhenCancelledInAnAttempt() {
		return Stream.of(arguments(SAVED, List.of(OrderStatus.SAVED), false),
				arguments(BUSY, List.of(OrderStatus.RETRYING), false),
				arguments(throttled(Duration.ofHours(1)), List.of(), false),
				arguments(SAVED, List.of(OrderStatus.RETRYING), true));
	}

	/** Kafka accepts nothing, so a delivery would retry forever. */
	@ParameterizedTest
	@ValueSource(strings = { "saved", "conflict", "unreadable" })
	void stopsPublishingWhenCancelled(String kind) throws InterruptedException {
		CountDownLatch sends = new CountDownLatch(2);
		this.producer.refuses = (_) -> {
			sends.countDown();
			return new TimeoutException("no acknowledgement");
		};
		Attempt attempt = kind.equals("conflict") ? new Conflict(FailureReason.otherPayload("422")) : SAVED;
		Delivery delivery = delivery(answering(attempt),
				Records.order(ID).value(kind.equals("unreadable") ? "no JSON" : "{}").at(7));
		delivery.start();
		sends.await();

		cancel(delivery);

		assertThat(this.finished).hasValue(false);
		assertThat(published("saved") + published("failed")).isZero();
	}

	private static void cancel(Delivery delivery) throws InterruptedException {
		delivery.cancel();
		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
	}

	@Test
	void aRecordWhosePredecessorWasGivenUpIsGivenUpToo() throws InterruptedException {
		KeySequencer sequencer = new KeySequencer();
		byte[] key = { 1 };
		KeySequencer.Ticket before = sequencer.ticket(key);
		Delivery delivery = new Delivery(good(), sequencer.ticket(key), context(backend(answering(SAVED)), noWait()),
				(finished, bug) -> this.finished.set(finished));
		KeySequencer.Ticket after = sequencer.ticket(key);

		before.release(false);
		run(delivery);

		assertThat(this.finished).hasValue(false);
		assertThat(this.calls).hasValue(0);
		assertThat(after.await()).isFalse();
	}

	@Test
	void timesAttemptsAndTheWayFromAcceptToSaved() throws InterruptedException {
		AtomicLong nanos = new AtomicLong();
		this.time = new SetTime(nanos);
		this.limiter = new DeliveryLimiter(2, health(), this.time);
		nanos.set(Duration.ofSeconds(5).toNanos());

		run(delivery((order) -> {
			nanos.addAndGet(Duration.ofSeconds(2).toNanos());
			return SAVED;
		}, good()));
		Timer acceptToSaved = this.registry.get("sluice.accept.to.saved").timer();
		assertThat(acceptToSaved.count()).isEqualTo(1);
		deliver(REJECTED);

		assertThat(duration("saved").count()).isEqualTo(1);
		assertThat(duration("saved").totalTime(TimeUnit.NANOSECONDS)).isEqualTo(2e9);
		assertThat(duration("rejected").count()).isEqualTo(MAX_ATTEMPTS);
		assertThat(acceptToSaved.count()).isEqualTo(1);
		assertThat(acceptToSaved.totalTime(TimeUnit.NANOSECONDS))
			.isEqualTo(Duration.between(Instant.parse(Records.TIME), NOW).toNanos());
	}

	@Test
	void holdsNoPlaceWhileItBacksOff() throws InterruptedException {
		this.limiter = limiter(1);
		CountDownLatch failed = new CountDownLatch(1);
		Delivery.Context slow = context((order) -> {
			failed.countDown();
			return BUSY;
		}, new Backoff(Duration.ofHours(1), Duration.ofHours(1), () -> 1));
		Delivery waiting = new Delivery(good(), noTicket(), slow, (finished, bug) -> {
		});
		waiting.start();
		failed.await();

		deliver(SAVED);

		assertThat(this.finished).hasValue(true);
		waiting.cancel();
		assertThat(waiting.awaitEnd(Duration.ofSeconds(10))).isTrue();
	}

	private void deliver(Attempt... answers) throws InterruptedException {
		run(delivery(answering(answers), good()));
	}

	/** Delivers an order that the backend rejects while it saves others. */
	private void reject(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
		another(SAVED);
		run(delivery(answering(REJECTED), anotherSavedMeanwhile(), record));
	}

	private void run(Delivery delivery) throws InterruptedException {
		delivery.start();
		assertThat(delivery.awaitEnd(Duration.ofSeconds(20))).isTrue();
	}

	private Delivery delivery(Function<QueuedOrder, Attempt> backend, ConsumerRecord<byte[], byte[]> record) {
		return delivery(backend, noWait(), record);
	}

	private Delivery delivery(Function<QueuedOrder, Attempt> backend, Backoff backoff,
			ConsumerRecord<byte[], byte[]> record) {
		return new Delivery(record, noTicket(), context(backend(backend), backoff), (finished, bug) -> {
			this.finished.set(finished);
			this.bug.set(bug);
		});
	}

	private Delivery.Context context(Backend backend, Backoff backoff) {
		return context(backend, this.limiter, new RetryPolicy(backoff, MAX_ATTEMPTS, Duration.ofHours(1), this.maxAge),
				this.payloads, this.producer, this.registry, Thread.ofVirtual().factory(), this.time,
				InstantSource.fixed(NOW));
	}

	static Delivery.Context context(Backend backend, DeliveryLimiter limiter, RetryPolicy retries,
			PayloadHistory payloads, Producer<byte[], byte[]> producer, MeterRegistry registry, ThreadFactory threads,
			Time time, InstantSource clock) {
		ReliablePublisher publisher = new ReliablePublisher(() -> producer, retries.backoff(), time);
		return new Delivery.Context(READER, payloads, limiter, backend, retries,
				new OutcomePublisher(publisher, JsonMapper.shared(), registry), new DeadLetters(publisher, registry),
				new DeliveryTimers(registry), threads, time, clock);
	}

	private Backend backend(Function<QueuedOrder, Attempt> delivery) {
		return new Backend() {

			@Override
			public Attempt deliver(QueuedOrder order) {
				return delivery.apply(order);
			}

			@Override
			public @Nullable Saved find(UUID id) {
				assertThat(id).isIn(ID, KEYED);
				assertThat(DeliveryTests.this.limiter.inFlight()).isEqualTo(1);
				DeliveryTests.this.lookUp.run();
				return DeliveryTests.this.found.remove().orElse(null);
			}

		};
	}

	/** A back-off during which the backend saves another order. */
	private Backoff anotherSavedMeanwhile() {
		return new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> {
			another(SAVED);
			return 0;
		});
	}

	/** Makes an attempt of another order, with this result. */
	private void another(Attempt attempt) {
		try {
			this.limiter.release(attempt, this.limiter.acquire());
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	private static Throttled throttled(Duration retryAfter) {
		return new Throttled(FailureReason.throttled("the backend answered 429"), retryAfter);
	}

	/** A backend that answers with these in turn, and then always with the last. */
	private Function<QueuedOrder, Attempt> answering(Attempt... attempts) {
		Queue<Attempt> left = new ArrayDeque<>(List.of(attempts));
		return (order) -> {
			this.calls.incrementAndGet();
			return (left.size() > 1) ? left.remove() : left.element();
		};
	}

	/** A backend that answers when it may proceed, and fails when it is interrupted. */
	private Function<QueuedOrder, Attempt> held(CountDownLatch begun, CountDownLatch proceed, Attempt attempt) {
		return (_) -> {
			this.calls.incrementAndGet();
			begun.countDown();
			try {
				proceed.await();
				return attempt;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return BUSY;
			}
		};
	}

	private static ConsumerRecord<byte[], byte[]> good() {
		return Records.order(ID).at(7);
	}

	static KeySequencer.Ticket noTicket() {
		return new KeySequencer().ticket(null);
	}

	static Backoff noWait() {
		return new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 0);
	}

	/** A limiter that accepts any pause between two saves as evidence. */
	static DeliveryLimiter limiter(int limit) {
		return new DeliveryLimiter(limit, health(), Time.SYSTEM);
	}

	private static BackendHealth health() {
		return new BackendHealth(circuit(), Duration.ofHours(1), System::nanoTime);
	}

	private static BackendProperties.Circuit circuit() {
		return new BackendProperties.Circuit(Duration.ofMinutes(1), Duration.ofMillis(1));
	}

	private double published(String status) {
		return this.registry.get("sluice.delivery.outcomes").tag("outcome", status).counter().count();
	}

	private Timer duration(String outcome) {
		return this.registry.get("sluice.delivery.duration").tag("outcome", outcome).timer();
	}

}
