package dev.sluice.sink.ordeal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.Durability;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.SpoolFullException;
import io.grpc.ManagedChannelBuilder;
import io.grpc.NameResolverRegistry;

/**
 * A process that sends messages with ids that the client makes, and that may be killed at
 * any moment. Its progress is in a file, so it survives the process. A message whose
 * {@code send} did not return is in doubt: the caller cannot know whether the client has
 * it, and this one does not send it again.
 */
final class NumberedProducer {

	/** Run (8 bytes), client (4) and number (4). */
	static final int HEAD_BYTES = 16;

	/** Small, so that it is full whenever the sinks are down. */
	private static final int SPOOL_BYTES = 1_000_000;

	/** Its {@code send} has not returned, or never will. */
	static final byte IN_DOUBT = 1;

	private static final byte RETURNED = 2;

	private NumberedProducer() {
	}

	/** Arguments: directory, messages, run, client, ports. */
	public static void main(String[] args) throws Exception {
		Path directory = Path.of(args[0]);
		int messages = Integer.parseInt(args[1]);
		long run = Long.parseLong(args[2]);
		int client = Integer.parseInt(args[3]);
		NameResolverRegistry.getDefaultRegistry()
			.register(new Addresses(Arrays.stream(args).skip(4).map(Integer::valueOf).toList()));
		ManagedChannelBuilder<?> channel = ManagedChannelBuilder.forTarget("sinks:///all")
			.defaultLoadBalancingPolicy("round_robin")
			.usePlaintext();
		SinkClientOptions options = SinkClientOptions.durable(directory.resolve("spool"))
			.withDurability(Durability.PROCESS)
			.withSpoolBytes(SPOOL_BYTES)
			.withAckTimeout(Duration.ofSeconds(12));
		try (SinkClient sender = SinkClient.open(channel, options, DeliveryListener.NONE);
				RandomAccessFile progress = new RandomAccessFile(directory.resolve("progress").toFile(), "rw")) {
			for (int i = (int) progress.length(); i < messages; i++) {
				progress.seek(i);
				progress.write(IN_DOUBT);
				send(sender, new Message(null, payload(run, client, i), key(i)));
				progress.seek(i);
				progress.write(RETURNED);
			}
			if (!sender.awaitEmpty(Duration.ofMinutes(3))) {
				throw new IllegalStateException("Not delivered: " + sender.stats());
			}
		}
	}

	private static void send(SinkClient client, Message message) throws InterruptedException {
		while (true) {
			try {
				client.sendAll(List.of(message), Duration.ofSeconds(10));
				return;
			}
			catch (SpoolFullException _) {
				// This producer can wait.
			}
		}
	}

	/** A byte for each message that was begun. */
	static byte[] progress(Path directory) throws IOException {
		Path file = directory.resolve("progress");
		return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
	}

	/** Every fourth message has no key; the others have one of 20. */
	static ByteString key(int number) {
		return (number % 4 == 0) ? ByteString.EMPTY : ByteString.copyFromUtf8("key-" + number % 20);
	}

	/** 100 to 3,000 bytes, derived from the head only. */
	static byte[] payload(long run, int client, int number) {
		Random random = new Random(31L * client + number);
		byte[] payload = new byte[100 + random.nextInt(2_900)];
		random.nextBytes(payload);
		ByteBuffer.wrap(payload).putLong(run).putInt(client).putInt(number);
		return payload;
	}

	static boolean isPayload(long run, int client, int number, byte[] payload) {
		return Arrays.equals(payload, payload(run, client, number));
	}

}
