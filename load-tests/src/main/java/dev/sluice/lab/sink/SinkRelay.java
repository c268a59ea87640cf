package dev.sluice.lab.sink;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The minimal cost of a stream into Kafka, as a baseline for the sink where CPU binds.
 * Hands each message to the producer and acknowledges in batches. Has none of the sink's
 * guarantees: no window, no bounds, no detection of repeats, no graceful shutdown.
 */
public final class SinkRelay {

	private static final int ACK_BATCH = 100;

	private static final int PREFETCH = 64;

	private SinkRelay() {
	}

	/** Arguments: port, Kafka's bootstrap servers. Runs until it is stopped. */
	public static void main(String[] args) throws Exception {
		KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(producer(args[1]), new ByteArraySerializer(),
				new ByteArraySerializer());
		NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])))
			.maxInboundMessageSize(4 * 1024 * 1024)
			.addService(new Service(producer))
			.build()
			.start()
			.awaitTermination();
	}

	/** The settings of the sink's producer, from its {@code application.yaml}. */
	static Map<String, Object> producer(String bootstrapServers) {
		return Map.of("bootstrap.servers", bootstrapServers, "acks", "all", "linger.ms", 5, "batch.size", 128 * 1024,
				"compression.type", "lz4", "buffer.memory", 64 * 1024 * 1024, "max.request.size", 1_100_000);
	}

	private static final class Service extends DataSinkGrpc.DataSinkImplBase {

		private final KafkaProducer<byte[], byte[]> producer;

		Service(KafkaProducer<byte[], byte[]> producer) {
			this.producer = producer;
		}

		@Override
		public StreamObserver<Request> send(StreamObserver<Response> responses) {
			ServerCallStreamObserver<Response> call = (ServerCallStreamObserver<Response>) responses;
			call.disableAutoRequest();
			call.request(PREFETCH);
			Acks acks = new Acks(call);
			return new StreamObserver<>() {

				@Override
				public void onNext(Request request) {
					Service.this.producer.send(
							new ProducerRecord<>(Topics.SINK, request.getMessageId().toByteArray(),
									request.getPlainMessage().toByteArray()),
							(_, failure) -> acks.done(request.getMessageId(), failure));
					call.request(1);
				}

				@Override
				public void onError(Throwable cause) {
				}

				@Override
				public void onCompleted() {
					Service.this.producer.flush();
					acks.end();
				}

			};
		}

	}

	/** Uses one lock, as only one thread at a time may write to a call. */
	private static final class Acks {

		private final StreamObserver<Response> call;

		private final List<ByteString> ids = new ArrayList<>();

		private boolean ended;

		Acks(StreamObserver<Response> call) {
			this.call = call;
		}

		/**
		 * Ends the call if a message is not stored, as that invalidates the measurement.
		 */
		synchronized void done(ByteString id, @Nullable Exception failure) {
			if (this.ended) {
				return;
			}
			if (failure != null) {
				this.ended = true;
				this.call.onError(Status.UNAVAILABLE.withDescription(failure.toString()).asRuntimeException());
				return;
			}
			this.ids.add(id);
			if (this.ids.size() >= ACK_BATCH) {
				flush();
			}
		}

		synchronized void end() {
			if (!this.ended) {
				this.ended = true;
				flush();
				this.call.onCompleted();
			}
		}

		private void flush() {
			this.call.onNext(Response.newBuilder()
				.setVersion(1)
				.setAck(AckMessage.newBuilder().addAllMessageIds(this.ids))
				.build());
			this.ids.clear();
		}

	}

}
