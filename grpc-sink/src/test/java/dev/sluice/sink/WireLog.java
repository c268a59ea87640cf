package dev.sluice.sink;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import com.github.luben.zstd.Zstd;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.MethodDescriptor;

/** Records the messages of a channel to the sink, to the sink. */
final class WireLog implements ClientInterceptor {

	private final List<Request> requests = new CopyOnWriteArrayList<>();

	@Override
	public <I, O> ClientCall<I, O> interceptCall(MethodDescriptor<I, O> method, CallOptions options, Channel next) {
		return new SimpleForwardingClientCall<>(next.newCall(method, options)) {

			@Override
			public void sendMessage(I message) {
				WireLog.this.requests.add((Request) message);
				super.sendMessage(message);
			}

		};
	}

	/** Length of each message on the wire. */
	List<Integer> payloadBytes() {
		return messages().map((message) -> message.hasPlainMessage() ? message.getPlainMessage().size()
				: message.getZstdCompressed().size())
			.toList();
	}

	/** Id of the dictionary that each message was compressed with; 0 for none. */
	List<Long> dictionaryIds() {
		return messages().map((message) -> Zstd.getDictIdFromFrame(message.getZstdCompressed().toByteArray())).toList();
	}

	private Stream<BatchedMessage> messages() {
		return this.requests.stream()
			.flatMap((request) -> (request.getMessagesCount() > 0) ? request.getMessagesList().stream()
					: Stream.of(alone(request)));
	}

	private static BatchedMessage alone(Request request) {
		BatchedMessage.Builder message = BatchedMessage.newBuilder().setMessageId(request.getMessageId());
		return (request.hasPlainMessage() ? message.setPlainMessage(request.getPlainMessage())
				: message.setZstdCompressed(request.getZstdCompressed()))
			.build();
	}

}
