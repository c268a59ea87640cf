package dev.sluice.sink;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import org.jspecify.annotations.Nullable;

/** A client's end of a stream. */
final class ClientStream implements ClientResponseObserver<Request, Response> {

	final List<Response> responses = new CopyOnWriteArrayList<>();

	private final boolean reads;

	ClientCallStreamObserver<Request> call;

	volatile boolean ended;

	volatile @Nullable Throwable failure;

	/**
	 * Opens a stream.
	 * @param reads whether it reads all responses at once; if not, the test requests them
	 */
	ClientStream(Channel channel, boolean reads) {
		this.reads = reads;
		DataSinkGrpc.newStub(channel).send(this);
	}

	/** Begins a call of any method, and reads all responses at once. */
	ClientStream(Consumer<ClientStream> method) {
		this.reads = true;
		method.accept(this);
	}

	@Override
	public void beforeStart(ClientCallStreamObserver<Request> call) {
		this.call = call;
		if (!this.reads) {
			call.disableAutoRequestWithInitial(0);
		}
	}

	void send(Request.Builder request) {
		this.call.onNext(request.build());
	}

	void send(String id) {
		send(id, ByteString.copyFromUtf8("payload of " + id));
	}

	void send(String id, int bytes) {
		send(id, ByteString.copyFrom(new byte[bytes]));
	}

	private void send(String id, ByteString payload) {
		send(Request.newBuilder().setVersion(1).setMessageId(ByteString.copyFromUtf8(id)).setPlainMessage(payload));
	}

	List<ServiceMessage> infos() {
		return this.responses.stream().filter(Response::hasInfo).map(Response::getInfo).toList();
	}

	List<String> refusals() {
		return infos().stream()
			.flatMap((info) -> info.getRefusalsList().stream())
			.map((refusal) -> refusal.getMessageId().toStringUtf8() + ": "
					+ Status.fromCodeValue(refusal.getCode()).getCode())
			.toList();
	}

	List<String> acked() {
		return this.responses.stream()
			.flatMap((response) -> response.getAck().getMessageIdsList().stream())
			.map(ByteString::toStringUtf8)
			.toList();
	}

	List<Integer> ackBatches() {
		return this.responses.stream()
			.filter(Response::hasAck)
			.map((response) -> response.getAck().getMessageIdsCount())
			.toList();
	}

	Status.@Nullable Code status() {
		return (this.failure != null) ? Status.fromThrowable(this.failure).getCode() : null;
	}

	@Override
	public void onNext(Response response) {
		this.responses.add(response);
	}

	@Override
	public void onError(Throwable failure) {
		this.failure = failure;
		this.ended = true;
	}

	@Override
	public void onCompleted() {
		this.ended = true;
	}

}
