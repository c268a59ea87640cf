package dev.sluice.consumer.keys;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;

import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Backend;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.delivery.SimulatedDeliveries;
import dev.sluice.consumer.projection.ProjectedOrder;
import dev.sluice.contract.BackendAnswer;
import dev.sluice.contract.DeadLetterHeaders;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.GatewayMemory;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.core.web.OrderRequest;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * One idempotency key, two payloads and everything that they pass: two gateways, the
 * topics, the consumer, the projection and the backend. {@link #steps} lists what may
 * happen next. The code that decides is the real one; clients, network and storage are
 * lists and fields. After each step {@link #violations} is empty, and every order has its
 * end after {@link #settle}.
 */
final class KeyModel {

	/** The cases of {@code docs/guarantees.md} in which both payloads are accepted. */
	enum Listed {

		/** Both requests are in progress at the same moment, or one is in doubt. */
		SIMULTANEOUS,

		/** The first is saved by a sync request whose outcome is not in Kafka. */
		OUTCOME_MISSING,

		/** The second is queued, and its key cannot be looked up in all of Kafka. */
		NOT_LOOKED_UP,

		/** The second is sync, and Kafka cannot be reached. */
		WITHOUT_KAFKA,

		/** The status is being rebuilt, and the record of the first is deleted. */
		REBUILDING,

		/** The first failed and is no longer remembered. */
		FAILED_AND_FORGOTTEN

	}

	/** What may happen next. */
	record Step(String name, boolean fault, Runnable run) {
	}

	private static final UUID ID = UUID.fromString("019ab000-0000-8000-8000-000000000001");

	private static final IdempotencyKey KEY = new IdempotencyKey("k");

	private static final List<byte[]> PAYLOADS = List.of(bytes("{\"payload\":0}"), bytes("{\"payload\":1}"));

	private static final List<Fingerprint> FINGERPRINTS = PAYLOADS.stream().map(Fingerprint::ofJson).toList();

	private static final Instant START = Instant.parse("2026-11-28T10:00:00Z");

	private static final JsonMapper JSON = JsonMapper.shared();

	/** What differs between outcomes that have the same effect. */
	private static final Pattern TIMES = Pattern.compile("\"(at|acceptedAt)\":\"[^\"]*\"");

	private static final BackendProperties BACKEND = new BackendProperties(URI.create("http://backend"),
			Duration.ofSeconds(1), Duration.ofSeconds(1), 1, 1, Duration.ofSeconds(1));

	private static final BackendPolicy POLICY = new BackendPolicy(BACKEND, Integer.MAX_VALUE,
			CircuitBreakerRegistry.ofDefaults(), new SimpleMeterRegistry());

	private static final Publisher PUBLISHER = new Publisher();

	final Set<Listed> reached = EnumSet.noneOf(Listed.class);

	final List<String> violations = new ArrayList<>();

	private final List<ConsumerRecord<byte[], byte[]>> orders = new ArrayList<>();

	private final List<ConsumerRecord<byte[], byte[]>> outcomes = new ArrayList<>();

	/** The orders whose request came after an answer 2xx to the other payload. */
	private final Set<Long> late = new TreeSet<>();

	private final List<Gateway> gateways = List.of(new Gateway("g0"), new Gateway("g1"));

	private final ProjectedOrder row = new ProjectedOrder();

	private final SimulatedDeliveries consumer = new SimulatedDeliveries();

	private final Map<Integer, String> deadLetters = new HashMap<>();

	/** Requests that nobody waits for any more, and that still arrive. */
	private final Deque<Placing> underWay = new ArrayDeque<>();

	/** The next offsets of the projection and of the consumer. */
	private int projectedOrders;

	private int projectedOutcomes;

	private int delivered;

	/** Orders below were deleted. */
	private int purged;

	/** The outcomes that the projection must read again. */
	private int rebuilt;

	/** The payload that the backend has, or null. */
	private @Nullable Integer saved;

	private Instant savedAt = START;

	/** Whether the client was answered 2xx, for each payload. */
	private final boolean[] accepted = new boolean[2];

	/** Whether a request with it has been dispatched, for each payload. */
	private final boolean[] dispatched = new boolean[2];

	/** Whether one was sent before the other payload was answered 2xx. */
	private final boolean[] early = new boolean[2];

	private int requests;

	private int faults;

	private int ticks;

	/**
	 * @param requests maximum number of requests
	 * @param faults maximum number of faults
	 */
	KeyModel(int requests, int faults) {
		this.requests = requests;
		this.faults = faults;
	}

	/** All that may happen next, always in the same sequence. */
	List<Step> steps() {
		List<Step> steps = new ArrayList<>();
		this.gateways.forEach((gateway) -> gateway.steps(steps));
		if (!this.underWay.isEmpty()) {
			steps.add(new Step("arrive late", false, this::arrive));
		}
		if (this.projectedOrders < this.orders.size()) {
			steps.add(new Step("project order", false, this::projectOrder));
		}
		if (this.projectedOutcomes < this.outcomes.size()) {
			steps.add(new Step("project outcome", false, this::projectOutcome));
		}
		if (this.delivered < this.orders.size()) {
			steps.add(new Step("deliver", false, () -> deliver(Answer.GIVEN)));
			fault(steps, "deliver, crash", this::deliverAndCrash);
			fault(steps, "deliver, answer lost", () -> deliver(Answer.FIRST_LOST));
			fault(steps, "deliver, answer lost, then busy", () -> deliver(Answer.LOST_THEN_BUSY));
			fault(steps, "deliver, two answers lost", () -> deliver(Answer.TWO_LOST));
			fault(steps, "deliver, all answers lost", () -> deliver(Answer.ALL_LOST));
			fault(steps, "deliver, refused", () -> deliver(Answer.REFUSED));
		}
		if (this.delivered > this.purged) {
			fault(steps, "restart consumer, redeliver", this::redeliver);
		}
		if (this.purged < Math.min(this.delivered, this.projectedOrders)
				&& this.projectedOutcomes == this.outcomes.size()) {
			fault(steps, "purge, compact, rebuild", this::rebuild);
		}
		return steps;
	}

	private void fault(List<Step> steps, String name, Runnable fault) {
		if (this.faults > 0) {
			steps.add(new Step(name, true, () -> {
				this.faults--;
				fault.run();
			}));
		}
	}

	/** Lets everything come to its end, without faults. */
	void settle() {
		this.faults = 0;
		this.gateways.forEach(Gateway::heal);
		while (!this.underWay.isEmpty()) {
			arrive();
		}
		while (this.delivered < this.orders.size()) {
			deliver(Answer.GIVEN);
		}
		while (this.projectedOrders < this.orders.size()) {
			projectOrder();
		}
		while (this.projectedOutcomes < this.outcomes.size()) {
			projectOutcome();
		}
		this.gateways.forEach(Gateway::readAll);
		checkEnd();
	}

	private void checkEnd() {
		OrderStatus expected = (this.saved != null) ? OrderStatus.SAVED
				: this.orders.isEmpty() ? null : OrderStatus.FAILED;
		for (Gateway gateway : this.gateways) {
			OrderView view = gateway.status(true);
			check((view != null) ? view.status() == expected : expected == null, "%s says %s of an order that is %s",
					gateway.name, (view != null) ? view.status() : null, expected);
		}
		for (int payload = 0; payload < 2; payload++) {
			boolean lost = this.accepted[payload] && this.saved != null && this.saved != payload;
			check(!lost || this.deadLetters.containsKey(payload), "payload %s is replaced and no dead letter", payload);
		}
		Integer kept = this.saved;
		// A payload that failed for good keeps the key.
		boolean failed = kept != null && !"conflict".equals(this.deadLetters.getOrDefault(1 - kept, "conflict"));
		if (kept != null && !failed) {
			this.requests = 2 * Mode.values().length * PAYLOADS.size();
			for (Gateway gateway : this.gateways) {
				for (Mode mode : Mode.values()) {
					boolean right = gateway.place(kept, mode);
					check(right, "%s refuses %s the payload that the backend has", gateway.name, mode);
				}
				check(!gateway.place(1 - kept, Mode.SYNC), "%s accepts another payload", gateway.name);
			}
		}
	}

	private void check(boolean holds, String otherwise, @Nullable Object... values) {
		if (!holds) {
			this.violations.add(otherwise.formatted(values));
		}
	}

	/** All that decides about the future, without times. */
	String key() {
		StringBuilder key = new StringBuilder();
		key.append(List.of(this.requests, this.faults, this.delivered, this.purged, this.rebuilt, this.projectedOrders,
				this.projectedOutcomes));
		this.orders.forEach((order) -> key.append(payload(order)));
		this.outcomes.forEach((outcome) -> key.append(TIMES.matcher(text(outcome.value())).replaceAll("")));
		key.append(this.underWay).append(this.late).append(this.row).append(this.deadLetters).append(this.saved);
		key.append(Arrays.toString(this.accepted)).append(Arrays.toString(this.dispatched));
		key.append(Arrays.toString(this.early));
		key.append(this.consumer.conflictsWith(queued(0))).append(this.consumer.conflictsWith(queued(1)));
		this.gateways.forEach(key::append);
		return key.toString();
	}

	private static QueuedOrder queued(int payload) {
		return new QueuedOrder(ID, "c-1", START, null, PAYLOADS.get(payload));
	}

	// Kafka

	private ConsumerRecord<byte[], byte[]> enqueue(int payload, boolean afterOther) {
		Headers headers = new RecordHeaders();
		headers.add(OrderHeaders.ID, bytes(ID.toString()));
		headers.add(OrderHeaders.TIME, bytes(now().toString()));
		ConsumerRecord<byte[], byte[]> order = record(Topics.ORDERS, this.orders.size(), bytes("c-1"),
				PAYLOADS.get(payload), headers);
		this.orders.add(order);
		if (afterOther) {
			this.late.add(order.offset());
		}
		return order;
	}

	private long publish(byte[] key, byte[] value) {
		this.outcomes.add(record(Topics.ORDER_OUTCOMES, this.outcomes.size(), key, value, new RecordHeaders()));
		return this.outcomes.size() - 1;
	}

	private static ConsumerRecord<byte[], byte[]> record(String topic, long offset, byte[] key, byte[] value,
			Headers headers) {
		return new ConsumerRecord<>(topic, 0, offset, 0, TimestampType.CREATE_TIME, key.length, value.length, key,
				value, headers, Optional.empty());
	}

	private static int payload(ConsumerRecord<byte[], byte[]> order) {
		return Arrays.equals(order.value(), PAYLOADS.get(0)) ? 0 : 1;
	}

	/** In Kafka from a producer's buffer, or at the backend. */
	private void arrive() {
		Placing request = this.underWay.remove();
		switch (request.mode) {
			case SYNC -> save(request.payload, false, request.replaces());
			case QUEUED -> enqueue(request.payload, request.isLate());
		}
	}

	// The projection

	private List<Integer> projected() {
		return List.of(this.projectedOrders, this.projectedOutcomes);
	}

	private void projectOrder() {
		this.row.read(this.orders.get(this.projectedOrders++));
	}

	private void projectOutcome() {
		this.row.read(this.outcomes.get(this.projectedOutcomes++));
	}

	/** Deletes delivered orders, keeps the last outcome of a key, and reads all again. */
	private void rebuild() {
		this.purged = Math.min(this.delivered, this.projectedOrders);
		Map<String, ConsumerRecord<byte[], byte[]>> last = new LinkedHashMap<>();
		this.outcomes.forEach((outcome) -> last.put(text(outcome.key()), outcome));
		this.outcomes.clear();
		last.values().forEach((outcome) -> publish(outcome.key(), outcome.value()));
		this.row.clear();
		this.projectedOrders = this.purged;
		this.projectedOutcomes = 0;
		this.rebuilt = this.outcomes.size();
		this.gateways.forEach(Gateway::assign);
	}

	// The consumer

	/** What becomes of the backend's answers to a delivery. */
	private enum Answer {

		GIVEN, FIRST_LOST, LOST_THEN_BUSY, TWO_LOST, ALL_LOST, REFUSED

	}

	private void deliver(Answer answer) {
		ConsumerRecord<byte[], byte[]> order = this.orders.get(this.delivered++);
		attempt(order, answer).forEach((published) -> {
			if (published.topic().equals(Topics.ORDER_OUTCOMES)) {
				publish(published.key(), published.value());
			}
			else {
				this.deadLetters.put(payload(order),
						text(published.headers().lastHeader(DeadLetterHeaders.KIND).value()));
			}
		});
	}

	private void deliverAndCrash() {
		attempt(this.orders.get(this.delivered), Answer.GIVEN);
		this.consumer.restart();
	}

	private void redeliver() {
		this.consumer.restart();
		this.delivered--;
	}

	private List<ProducerRecord<byte[], byte[]>> attempt(ConsumerRecord<byte[], byte[]> order, Answer answer) {
		return this.consumer.deliver(order, new Backend() {

			private int attempts;

			@Override
			public Attempt deliver(QueuedOrder queued) {
				boolean replaces = KeyModel.this.late.contains(order.offset());
				BackendResponse response = save(payload(order), answer == Answer.REFUSED, replaces);
				int lost = switch (answer) {
					case GIVEN, REFUSED -> 0;
					case FIRST_LOST, LOST_THEN_BUSY -> 1;
					case TWO_LOST -> 2;
					case ALL_LOST -> Integer.MAX_VALUE;
				};
				if (this.attempts++ < lost) {
					return new Attempt.RetryLater(FailureReason.failed(504, "lost"), Reach.UNANSWERED);
				}
				if (answer == Answer.LOST_THEN_BUSY && this.attempts == 2) {
					return new Attempt.Throttled(FailureReason.failed(429, "busy"), Duration.ZERO);
				}
				return switch (BackendAnswer.of(response.status(), response.body(), ID, now())) {
					case BackendAnswer.Saved(Instant at) -> new Attempt.Saved(at);
					case BackendAnswer.Conflict _ -> new Attempt.Conflict(FailureReason.otherPayload("conflict"));
					case BackendAnswer.Rejected _ -> new Attempt.Rejected(FailureReason.refused(422, "refused"));
					case BackendAnswer.Failed _ -> throw new AssertionError();
				};
			}

			@Override
			public Attempt.@Nullable Saved find(UUID id) {
				return (KeyModel.this.saved != null && answer != Answer.ALL_LOST)
						? new Attempt.Saved(KeyModel.this.savedAt) : null;
			}

		}, now());
	}

	// The backend

	/**
	 * @param replaces whether the other payload was answered 2xx before the request was
	 * sent, and no listed case allows that
	 */
	private BackendResponse save(int payload, boolean refuses, boolean replaces) {
		if (this.saved == null && refuses) {
			return new BackendResponse(422, null, bytes("{\"type\":\"about:blank\"}"), false);
		}
		if (this.saved == null) {
			this.saved = payload;
			this.savedAt = now();
			if (replaces) {
				check(this.deadLetters.containsKey(1 - payload), "payload %s replaces the other one", payload);
				this.reached.add(Listed.FAILED_AND_FORGOTTEN);
			}
		}
		return (this.saved == payload)
				? new BackendResponse(200, null,
						bytes("{\"id\":\"%s\",\"savedAt\":\"%s\"}".formatted(ID, this.savedAt)), false)
				: new BackendResponse(422, null, bytes("{\"type\":\"%s\"}".formatted(ProblemType.KEY_REUSED.type())),
						false);
	}

	private Instant now() {
		return START.plusSeconds(++this.ticks);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * A request between its look-up and its dispatch.
	 *
	 * @param repeats whether it repeats one from before the other payload was answered
	 * @param excuse the case that allows it to be accepted as the other one is; or null
	 */
	private record Placing(int payload, Mode mode, boolean repeats, @Nullable Listed excuse) {

		boolean isLate() {
			return !this.repeats && this.excuse != Listed.SIMULTANEOUS;
		}

		boolean replaces() {
			return isLate() && this.excuse != Listed.WITHOUT_KAFKA;
		}

	}

	private static final class Publisher extends GatewayMemory.Outcomes {

		private final Deque<OrderOutcome> published = new ArrayDeque<>();

		@Override
		public void publish(OrderOutcome outcome) {
			this.published.add(outcome);
		}

	}

	private final class Gateway {

		private final String name;

		private GatewayMemory memory = new GatewayMemory();

		/** False after a start while Kafka is cut off. */
		private boolean assigned;

		private boolean kafka = true;

		private boolean postgres = true;

		private @Nullable Placing placing;

		/** The orders of this gateway that Kafka has acknowledged, until it restarts. */
		private final List<Long> acknowledged = new ArrayList<>();

		/** The orders that it has read in all its lives. */
		private int read;

		/** How far the projection was when it last looked. */
		private List<Integer> looked = List.of(0, 0);

		/** Outcomes that Kafka does not have yet. */
		private final Deque<OrderOutcome> unpublished = new ArrayDeque<>();

		/** The last status that was read. */
		private @Nullable OrderStatus status;

		Gateway(String name) {
			this.name = name;
			this.memory.assign(0, 0);
			this.memory.atEnd();
			this.assigned = true;
		}

		void steps(List<Step> steps) {
			Placing current = this.placing;
			if (current != null) {
				add(steps, "dispatch", () -> dispatch(false));
				addFault(steps, "dispatch, answer lost", () -> dispatch(true));
				addFault(steps, "dispatch, given up", this::giveUp);
				if (current.mode == Mode.SYNC && KeyModel.this.saved == null) {
					addFault(steps, "dispatch, refused", this::refuse);
				}
			}
			else if (KeyModel.this.requests > 0) {
				// The first payload is the first one.
				int payloads = (KeyModel.this.dispatched[0]
						|| KeyModel.this.gateways.stream().anyMatch((other) -> other.placing != null)) ? 2 : 1;
				for (int payload = 0; payload < payloads; payload++) {
					for (Mode mode : Mode.values()) {
						int which = payload;
						add(steps, "place " + payload + " " + mode, () -> begin(which, mode, true));
						if (this.kafka && this.assigned && unread()) {
							add(steps, "place unread " + payload + " " + mode, () -> begin(which, mode, false));
						}
					}
				}
			}
			if (!this.unpublished.isEmpty()) {
				if (this.kafka) {
					add(steps, "publish", this::publish);
				}
				addFault(steps, "lose outcome", this::lose);
			}
			if (this.kafka && this.assigned) {
				if (unread()) {
					add(steps, "read", this::readAll);
				}
				if (!this.looked.equals(projected())) {
					add(steps, "look", this::look);
				}
			}
			addFault(steps, "restart", this::restart);
			if (this.kafka) {
				addFault(steps, "cut off from Kafka", () -> this.kafka = false);
			}
			else {
				add(steps, "reach Kafka", this::reachKafka);
			}
			if (this.postgres) {
				addFault(steps, "cut off from PostgreSQL", () -> this.postgres = false);
			}
			else {
				add(steps, "reach PostgreSQL", () -> this.postgres = true);
			}
		}

		private void add(List<Step> steps, String step, Runnable run) {
			steps.add(new Step(this.name + ": " + step, false, run));
		}

		private void addFault(List<Step> steps, String step, Runnable run) {
			fault(steps, this.name + ": " + step, run);
		}

		/** Looks the key up. */
		private void begin(int payload, Mode mode, boolean reads) {
			KeyModel.this.requests--;
			Reading reading = this.kafka ? Reading.BEHIND : this.memory.withoutKafka();
			if (this.kafka && this.assigned && reads) {
				reading = readAll();
			}
			RecentOrder known = known(reading);
			KeyUse use = KeyUse.of(known, (known.row() != null) ? known.row().map(StatusRow::used) : null);
			Placing next = new Placing(payload, mode, KeyModel.this.early[payload],
					excuse(1 - payload, mode, use, reading));
			try {
				if (use.isDispatchNeeded(request(payload, mode), KEY)) {
					this.placing = next;
				}
				else {
					answered(next, true);
				}
			}
			catch (ProblemException ex) {
				refused(next, ex);
			}
		}

		/** The case in which a request is accepted although the other payload was. */
		private @Nullable Listed excuse(int other, Mode mode, KeyUse use, Reading reading) {
			if (!KeyModel.this.accepted[other]) {
				return Listed.SIMULTANEOUS;
			}
			// A gateway that has read of an order must not forget it while it is cut off.
			boolean unheard = reading == Reading.UNREACHABLE && KeyModel.this.orders.stream()
				.noneMatch((order) -> payload(order) == other
						&& (order.offset() < this.read || this.acknowledged.contains(order.offset())));
			if (mode == Mode.SYNC && unheard) {
				return Listed.WITHOUT_KAFKA;
			}
			if (mode == Mode.QUEUED && (unheard || use instanceof KeyUse.Unknown(var accepted) && accepted == null)) {
				return Listed.NOT_LOOKED_UP;
			}
			if (mode == Mode.QUEUED && isOutcomeMissing()) {
				return Listed.OUTCOME_MISSING;
			}
			return (KeyModel.this.projectedOutcomes < KeyModel.this.rebuilt) ? Listed.REBUILDING : null;
		}

		/** Whether the backend has an order of which Kafka has no outcome. */
		private boolean isOutcomeMissing() {
			Integer payload = KeyModel.this.saved;
			return payload != null && KeyModel.this.outcomes.stream()
				.noneMatch((outcome) -> text(outcome.value())
					.contains("\"fingerprint\":\"" + FINGERPRINTS.get(payload).hex() + "\""));
		}

		private void dispatch(boolean lost) {
			Placing request = this.placing;
			this.placing = null;
			switch (request.mode) {
				case SYNC -> save(request, lost, false);
				case QUEUED -> {
					if (!this.kafka) {
						return;
					}
					dispatched(request);
					ConsumerRecord<byte[], byte[]> order = enqueue(request.payload, request.isLate());
					if (!lost) {
						this.memory.acknowledged(order);
						this.acknowledged.add(order.offset());
						answered(request, false);
					}
				}
			}
		}

		private void dispatched(Placing request) {
			KeyModel.this.dispatched[request.payload] = true;
			KeyModel.this.early[request.payload] |= request.excuse == Listed.SIMULTANEOUS
					|| request.excuse == Listed.NOT_LOOKED_UP;
		}

		private void giveUp() {
			Placing request = this.placing;
			this.placing = null;
			dispatched(request);
			KeyModel.this.underWay.add(request);
		}

		private void refuse() {
			Placing request = this.placing;
			this.placing = null;
			save(request, false, true);
		}

		private void save(Placing request, boolean lost, boolean refuses) {
			dispatched(request);
			boolean had = KeyModel.this.saved != null;
			BackendResponse response = KeyModel.this.save(request.payload, refuses, request.replaces());
			if (lost) {
				return;
			}
			OrderRequest order = request(request.payload, request.mode);
			BackendResult result = POLICY.received(BackendRequest.save(BACKEND, order.order()), response);
			try {
				PUBLISHER.published.clear();
				PUBLISHER.publish(order, result);
				answered(request, had);
			}
			catch (ProblemException ex) {
				refused(request, ex);
			}
			PUBLISHER.published.forEach(this.memory::publishing);
			this.unpublished.addAll(PUBLISHER.published);
		}

		/**
		 * @param repeat whether the order was durable or saved before
		 */
		private void answered(Placing request, boolean repeat) {
			boolean first = !KeyModel.this.accepted[request.payload];
			KeyModel.this.accepted[request.payload] = true;
			boolean both = first && KeyModel.this.accepted[1 - request.payload] && !repeat && !request.repeats;
			check(!both || request.excuse != null, "%s accepts payload %s %s after the other one", this.name,
					request.payload, request.mode);
			if (both && request.excuse != null) {
				KeyModel.this.reached.add(request.excuse);
			}
		}

		private void refused(Placing request, ProblemException problem) {
			check(problem.type() != ProblemType.KEY_REUSED || KeyModel.this.dispatched[1 - request.payload],
					"%s says that a key is used which is not", this.name);
		}

		private void publish() {
			OrderOutcome outcome = this.unpublished.remove();
			long offset = KeyModel.this.publish(bytes(outcome.key()), JSON.writeValueAsBytes(outcome));
			this.memory.published(outcome, offset);
		}

		private void lose() {
			this.memory.published(this.unpublished.remove(), null);
			this.status = null;
		}

		private boolean unread() {
			return this.memory.position(Topics.ORDERS) < KeyModel.this.orders.size()
					|| this.memory.position(Topics.ORDER_OUTCOMES) < KeyModel.this.outcomes.size();
		}

		Reading readAll() {
			read(KeyModel.this.orders, this.memory.position(Topics.ORDERS));
			read(KeyModel.this.outcomes, this.memory.position(Topics.ORDER_OUTCOMES));
			this.read = KeyModel.this.orders.size();
			return this.memory.atEnd();
		}

		private void read(List<ConsumerRecord<byte[], byte[]>> topic, long from) {
			topic.subList((int) from, topic.size()).forEach(this.memory::read);
		}

		private void look() {
			this.looked = projected();
			this.memory.commit(KeyModel.this.projectedOrders, KeyModel.this.projectedOutcomes);
		}

		private void restart() {
			this.memory = new GatewayMemory();
			this.assigned = false;
			this.placing = null;
			this.acknowledged.clear();
			this.unpublished.clear();
			this.status = null;
			assign();
		}

		/** Begins again where the projection is. */
		void assign() {
			this.status = null;
			this.assigned = this.kafka;
			if (this.kafka) {
				this.looked = projected();
				this.memory.assign(KeyModel.this.projectedOrders, KeyModel.this.projectedOutcomes);
			}
		}

		private void reachKafka() {
			this.kafka = true;
			if (!this.assigned) {
				assign();
			}
		}

		void heal() {
			this.postgres = true;
			this.placing = null;
			if (!this.kafka) {
				reachKafka();
			}
			while (!this.unpublished.isEmpty()) {
				publish();
			}
		}

		/** Places an order in a settled world; returns whether it was accepted. */
		boolean place(int payload, Mode mode) {
			boolean[] before = KeyModel.this.accepted.clone();
			KeyModel.this.accepted[payload] = false;
			begin(payload, mode, true);
			if (this.placing != null) {
				dispatch(false);
			}
			boolean right = KeyModel.this.accepted[payload];
			System.arraycopy(before, 0, KeyModel.this.accepted, 0, 2);
			return right;
		}

		/**
		 * The answer to {@code GET /orders/{id}}, as {@code OrderStatuses} combines it.
		 * @param asks whether to ask the backend if need be
		 */
		@Nullable OrderView status(boolean asks) {
			RecentOrder known = known(Reading.BEHIND);
			OrderView view = known.view();
			boolean sure = view != null && view.status() != OrderStatus.FAILED;
			return (asks && !sure && KeyModel.this.saved != null)
					? known.atBackend(new BackendResult.Saved(new SavedOrder(ID, KeyModel.this.savedAt)), PUBLISHER)
					: view;
		}

		/** The order as Kafka and PostgreSQL know it. */
		private RecentOrder known(Reading reading) {
			RecentOrder inKafka = this.memory.order(ID, reading);
			return this.postgres ? inKafka.with(Optional.ofNullable(KeyModel.this.row.view())) : inKafka;
		}

		/** The status must not go back, unless an outcome was lost. */
		void checkStatus() {
			OrderView view = status(false);
			if (this.postgres && view != null) {
				check(this.status == null || view.status().compareTo(this.status) >= 0
						|| this.status == OrderStatus.FAILED, "%s says %s after %s", this.name, view.status(),
						this.status);
				this.status = view.status();
			}
		}

		private OrderRequest request(int payload, Mode mode) {
			return new OrderRequest(new ValidOrder(ID, new Order("c-1", null, null), PAYLOADS.get(payload),
					FINGERPRINTS.get(payload), null), KEY, new Prefer(mode == Mode.QUEUED, mode, Duration.ZERO));
		}

		@Override
		public String toString() {
			RecentOrder known = this.memory.order(ID, Reading.BEHIND);
			return "|%s%s%s%s%s%s%s%s%s%s%s".formatted(this.read, this.looked, this.kafka, this.postgres, this.assigned,
					this.placing, this.acknowledged, this.unpublished.stream().map(OrderOutcome::key).toList(),
					this.status,
					this.assigned ? this.memory.position(Topics.ORDERS) + ","
							+ this.memory.position(Topics.ORDER_OUTCOMES) + this.memory.withoutKafka() : "",
					(known.acceptance() != null)
							? known.acceptance().firstOffset() + "-" + known.acceptance().lastOffset() : "")
					+ ((known.save() != null) ? known.save().lastOffset() : "");
		}

	}

	/** Checks what a client could see now. */
	void checkStatuses() {
		this.gateways.forEach(Gateway::checkStatus);
	}

}
