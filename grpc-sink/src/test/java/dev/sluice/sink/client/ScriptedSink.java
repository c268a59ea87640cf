package dev.sluice.sink.client;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Refusal;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

import static org.assertj.core.api.Assertions.assertThat;

/** A sink that a test controls. */
final class ScriptedSink extends DataSinkGrpc.DataSinkImplBase {

	static final int REQUESTED = 50;

	/** Received ids, in order. */
	final List<String> received = new ArrayList<>();

	final List<Request> requests = new ArrayList<>();

	int streams;

	ServerCallStreamObserver<Response> responses;

	@Override
	public StreamObserver<Request> send(StreamObserver<Response> responses) {
		this.streams++;
		this.responses = (ServerCallStreamObserver<Response>) responses;
		this.responses.disableAutoRequest();
		this.responses.setOnCancelHandler(() -> {
		});
		this.responses.request(REQUESTED);
		return new StreamObserver<>() {

			@Override
			public void onNext(Request request) {
				ScriptedSink.this.requests.add(request);
				for (BatchedMessage message : request.getMessagesList()) {
					take(message.getMessageId(), message.getPlainMessage());
				}
				if (request.getMessagesCount() == 0) {
					take(request.getMessageId(), request.getPlainMessage());
				}
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
		this.received.add(id.toStringUtf8());
	}

	/** Opens a stream like a sink without batches. */
	void sendInfo(int capacity) {
		sendInfo(capacity, 0);
	}

	/** Opens a stream like a sink that supports sequences. */
	void sendInfoWithSequences(int capacity) {
		this.responses.onNext(Response.newBuilder()
			.setVersion(1)
			.setInfo(ServiceMessage.newBuilder()
				.setQueueCapacity(capacity)
				.setBatchMessages(10)
				.setMinVersion(1)
				.setMaxVersion(2))
			.build());
	}

	void sendInfoWithBatches(int capacity, int batchMessages) {
		this.responses.onNext(Response.newBuilder()
			.setVersion(1)
			.setInfo(ServiceMessage.newBuilder().setQueueCapacity(capacity).setBatchMessages(batchMessages))
			.build());
	}

	/** The ids of each request. */
	List<String> batches() {
		return this.requests.stream()
			.map((request) -> (request.getMessagesCount() == 0) ? request.getMessageId().toStringUtf8()
					: request.getMessagesList()
						.stream()
						.map((message) -> message.getMessageId().toStringUtf8())
						.collect(Collectors.joining(" ", "[", "]")))
			.toList();
	}

	void sendInfo(int capacity, int maxMessageBytes) {
		this.responses.onNext(Response.newBuilder()
			.setVersion(1)
			.setInfo(ServiceMessage.newBuilder().setQueueCapacity(capacity).setMaxMessageBytes(maxMessageBytes))
			.build());
	}

	void ack(String... ids) {
		AckMessage.Builder ack = AckMessage.newBuilder();
		for (String id : ids) {
			ack.addMessageIds(ByteString.copyFromUtf8(id));
		}
		this.responses.onNext(Response.newBuilder().setVersion(1).setAck(ack).build());
	}

	void refuse(String id) {
		this.responses.onNext(Response.newBuilder()
			.setVersion(1)
			.setInfo(ServiceMessage.newBuilder()
				.setQueueCapacity(100)
				.addRefusals(Refusal.newBuilder().setMessageId(ByteString.copyFromUtf8(id)).setCode(3)))
			.build());
	}

	void refuse(ByteString id, Status.Code code) {
		this.responses.onNext(Response.newBuilder()
			.setVersion(1)
			.setInfo(ServiceMessage.newBuilder()
				.setQueueCapacity(100)
				.setMaxVersion(2)
				.addRefusals(Refusal.newBuilder().setMessageId(id).setCode(code.value())))
			.build());
	}

	void ack(List<ByteString> ids) {
		this.responses
			.onNext(Response.newBuilder().setVersion(1).setAck(AckMessage.newBuilder().addAllMessageIds(ids)).build());
	}

	void fail(Status status) {
		this.responses.onError(status.asRuntimeException());
	}

}
