package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import com.google.protobuf.ByteString;
import com.google.protobuf.TextFormat;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.Requests;
import dev.sluice.sink.Script;
import dev.sluice.sink.client.spool.MemorySpool;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.Spool;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client and a sink over an in-process transport. Everything runs on the test's thread,
 * and time passes only by a step. The sink's steps are {@code info}, with the capacity of
 * its queue and further fields, {@code ack}, {@code refuse}, {@code fail}, {@code end}
 * and {@code version}; {@code stored} and {@code forget} have the indexes of messages
 * that were sent. The client's are {@code send}, {@code close} and what its listener
 * does; its first may be {@code window}. A message is an id, whose payload follows from
 * it, {@code id=payload} or {@code id:size}; {@code #} has an id of the client's.
 * {@code sent} and {@code numbers} tell the requests since they were used before; what
 * the listener has {@code heard} ends with the code of a refusal.
 */
final class ClientScript implements DeliveryListener, AutoCloseable {

	final ScriptedSink sink = new ScriptedSink();

	final ManualLoop loop = new ManualLoop();

	SinkClientOptions options = SinkClientOptions.inMemory().withAckTimeout(Duration.ofSeconds(20));

	ManagedChannel channel = this.sink.channel();

	Spool spool = new MemorySpool(100_000);

	Runnable whenAcknowledged = () -> {
	};

	/** Of the last refusal. */
	String reason = "";

	private final List<String> heard = new ArrayList<>();

	/** The message of each payload. */
	private final Map<String, String> messages = new HashMap<>();

	private @Nullable SinkClient client;

	private final Script script = new Script()
		.word("window", (size) -> this.options = this.options.withWindow(Integer.parseInt(size.getFirst())))
		.word("info", this::info)
		.word("version",
				(version) -> this.sink.responses
					.onNext(Response.newBuilder().setVersion(Integer.parseInt(version.getFirst())).build()))
		.word("ack", (ids) -> this.sink.ack(ids.toArray(String[]::new)))
		.word("refuse", (ids) -> ids.forEach(this.sink::refuse))
		.word("forget",
				(indexes) -> indexes.forEach((index) -> this.sink.refuse(this.sink.ids.get(Integer.parseInt(index)),
						Status.Code.FAILED_PRECONDITION)))
		.word("stored",
				(indexes) -> indexes
					.forEach((index) -> this.sink.ack(List.of(this.sink.ids.get(Integer.parseInt(index))))))
		.word("fail", (_) -> this.sink.fail(Status.UNAVAILABLE))
		.word("end", (_) -> this.sink.responses.onCompleted())
		.word("send", this::send)
		.word("close", (_) -> client().close())
		.word("listener", (does) -> this.whenAcknowledged = does.contains("closes") ? client()::close : this::failOnce)
		.word("pass", (time) -> {
			client();
			this.loop.pass(Script.time(time.getFirst()));
		})
		.added("sent", this.sink::batches)
		.added("numbers", this::numbers)
		.added("heard", () -> this.heard)
		.is(() -> "streams=%s cancelled=%s %s".formatted(this.sink.streams, this.sink.cancelled, client().stats()));

	void play(String steps) {
		this.script.play(steps);
	}

	/** Opens it at the first step that needs it. */
	SinkClient client() {
		if (this.client == null) {
			this.client = new SinkClient(this.channel, this.options, this, this.spool, this.loop);
		}
		return this.client;
	}

	/** Continues with another client. */
	void reopen(Supplier<Spool> opened) {
		if (this.client != null) {
			this.client.close();
			this.client = null;
		}
		this.channel = this.sink.channel();
		this.spool = opened.get();
	}

	private void info(List<String> arguments) throws Exception {
		ServiceMessage.Builder info = ScriptedSink.info(Integer.parseInt(arguments.getFirst()));
		TextFormat.merge(String.join(" ", arguments.subList(1, arguments.size())), info);
		client();
		this.sink.send(info);
	}

	private void send(List<String> sent) throws InterruptedException {
		for (String message : sent) {
			if (message.equals("#")) {
				client().send(new byte[1]);
				continue;
			}
			String[] parts = message.split("[=:]");
			String payload = message.contains("=") ? parts[1]
					: message.contains(":") ? "x".repeat(Integer.parseInt(parts[1])) : "payload of " + message;
			this.messages.put(payload, message);
			client().send(new Message(ByteString.copyFromUtf8(parts[0]), payload.getBytes()));
		}
	}

	/** The session, by a letter, and the sequence of each message that was sent. */
	private List<String> numbers() {
		List<ByteString> sessions = new ArrayList<>();
		List<String> numbers = new ArrayList<>();
		int session = 0;
		for (Request request : this.sink.requests) {
			if (request.hasSession()) {
				if (!sessions.contains(request.getSession().getId())) {
					sessions.add(request.getSession().getId());
				}
				session = sessions.indexOf(request.getSession().getId());
			}
			for (BatchedMessage message : Requests.messages(request)) {
				numbers.add((message.getSequence() > 0) ? (char) ('A' + session) + "" + message.getSequence() : "-");
			}
		}
		return numbers;
	}

	private void failOnce() {
		this.whenAcknowledged = () -> {
		};
		throw new IllegalStateException("listener");
	}

	@Override
	public void acknowledged(List<ByteString> ids) {
		ids.forEach((id) -> this.heard.add(id.toStringUtf8()));
		this.whenAcknowledged.run();
	}

	@Override
	public void refused(Message message, int code, String description) {
		this.reason = description;
		this.heard.add(this.messages.get(new String(message.payload())) + "!" + code);
	}

	@Override
	public void close() {
		client().close();
		this.sink.close();
		assertThat(this.loop.failures()).isEmpty();
	}

}
