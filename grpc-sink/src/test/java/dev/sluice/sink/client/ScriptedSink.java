package dev.sluice.sink.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Refusal;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.Requests;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

import static org.assertj.core.api.Assertions.assertThat;

/** A sink that a test controls, over an in-process transport. */
public final class ScriptedSink extends DataSinkGrpc.DataSinkImplBase implements AutoCloseable {

	/** Messages that the next stream takes at first. */
	int requested = 50;

	/** Whether it opens its side of a stream at once. */
	public volatile boolean greeting;

	/** Whether it acknowledges each message at once. */
	public volatile boolean acknowledging;

	/** Received ids, in order. */
	final List<String> received = new CopyOnWriteArrayList<>();

	public final List<ByteString> ids = new CopyOnWriteArrayList<>();

	public final List<Request> requests = new CopyOnWriteArrayList<>();

	int streams;

	/** Streams that the client has cancelled. */
	int cancelled;

	volatile ServerCallStreamObserver<Response> responses;

	private final String name = InProcessServerBuilder.generateName();

	private final Server server;

	public ScriptedSink() {
		try {
			this.server = InProcessServerBuilder.forName(this.name).directExecutor().addService(this).build().start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A channel to this sink. Everything runs on the test's thread. */
	ManagedChannel channel() {
		return builder().directExecutor().build();
	}

	public InProcessChannelBuilder builder() {
		return InProcessChannelBuilder.forName(this.name);
	}

	@Override
	public void close() {
		this.server.shutdownNow();
	}

	@Override
	public StreamObserver<Request> send(StreamObserver<Response> responses) {
		this.streams++;
		this.responses = (ServerCallStreamObserver<Response>) responses;
		this.responses.disableAutoRequest();
		this.responses.setOnCancelHandler(() -> this.cancelled++);
		this.responses.request(this.requested);
		if (this.greeting) {
			sendInfo(10);
		}
		return new StreamObserver<>() {

			@Override
			public void onNext(Request request) {
				ScriptedSink.this.requests.add(request);
				Requests.messages(request)
					.forEach((message) -> take(message.getMessageId(), message.getPlainMessage()));
			}

			@Override
			public void onError(Throwable cause) {
			}

			@Override
			public void onCompleted() {
			}

		};
	}

	private void take(ByteString id, ByteString payload) {
		assertThat(payload.isEmpty()).isFalse();
		this.ids.add(id);
		this.received.add(id.toStringUtf8());
		if (this.acknowledging) {
			ack(List.of(id));
		}
	}

	/** What a sink says first, with room for a number of messages. */
	static ServiceMessage.Builder info(int capacity) {
		return ServiceMessage.newBuilder().setQueueCapacity(capacity).setMaxVersion(2);
	}

	/** Opens a stream like a sink without batches. */
	void sendInfo(int capacity) {
		send(info(capacity));
	}

	void send(ServiceMessage.Builder info) {
		this.responses.onNext(Response.newBuilder().setVersion(1).setInfo(info).build());
	}

	/** The ids of each request. */
	List<String> batches() {
		return this.requests.stream()
			.map((request) -> Requests.messages(request)
				.stream()
				.map((message) -> message.getMessageId().toStringUtf8())
				.collect(Collectors.joining(" ", (request.getMessagesCount() > 0) ? "[" : "",
						(request.getMessagesCount() > 0) ? "]" : "")))
			.toList();
	}

	void ack(String... ids) {
		ack(Arrays.stream(ids).map(ByteString::copyFromUtf8).toList());
	}

	public synchronized void ack(List<ByteString> ids) {
		this.responses
			.onNext(Response.newBuilder().setVersion(1).setAck(AckMessage.newBuilder().addAllMessageIds(ids)).build());
	}

	void refuse(String id) {
		refuse(ByteString.copyFromUtf8(id), Status.Code.INVALID_ARGUMENT);
	}

	public void refuse(ByteString id, Status.Code code) {
		send(info(100)
			.addRefusals(Refusal.newBuilder().setMessageId(id).setCode(code.value()).setDescription("no room")));
	}

	void fail(Status status) {
		this.responses.onError(status.asRuntimeException());
	}

}
