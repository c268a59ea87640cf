package dev.sluice.sink.ordeal;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.Durability;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.client.spool.SpoolFullException;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;

/**
 * A process that sends messages from several threads, and that may be killed at any
 * moment. The progress of each thread is in a memory-mapped file, so it survives the
 * process: started again, the thread continues with the message whose {@code send} did
 * not return.
 */
final class Producer {

	static final int THREADS = 4;

	/** Small, so that it is full whenever the sink is down. */
	private static final int SPOOL_BYTES = 1_000_000;

	private Producer() {
	}

	/** Arguments: port, directory, messages, first word of the ids. */
	public static void main(String[] args) throws Exception {
		int port = Integer.parseInt(args[0]);
		Path directory = Path.of(args[1]);
		int messages = Integer.parseInt(args[2]);
		ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
		SinkClientOptions options = SinkClientOptions.durable(directory.resolve("spool"))
			.withDurability(Durability.PROCESS)
			.withSpoolBytes(SPOOL_BYTES)
			.withAckTimeout(Duration.ofSeconds(12));
		try (SinkClient client = SinkClient.open(channel, options, DeliveryListener.NONE);
				ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
			MappedByteBuffer progress = progress(directory);
			Future<?>[] sending = IntStream.range(0, THREADS).mapToObj((thread) -> threads.submit(() -> {
				for (int i = progress.getInt(4 * thread); i < messages / THREADS; i++) {
					send(client, args[3], i * THREADS + thread);
					progress.putInt(4 * thread, i + 1);
				}
				return null;
			})).toArray(Future<?>[]::new);
			for (Future<?> one : sending) {
				one.get();
			}
			if (!client.awaitEmpty(Duration.ofMinutes(2))) {
				throw new IllegalStateException("Not delivered: " + client.stats());
			}
		}
		finally {
			channel.shutdownNow();
		}
	}

	private static void send(SinkClient client, String prefix, int number) throws InterruptedException {
		while (true) {
			try {
				client.send(id(prefix, number), payload(number));
				return;
			}
			catch (SpoolFullException _) {
				// What to do about a full spool is up to the caller; this one can wait.
				Thread.sleep(Duration.ofMillis(5));
			}
		}
	}

	/** Messages whose {@code send} has returned. */
	static int sent(Path directory) throws IOException {
		MappedByteBuffer progress = progress(directory);
		return IntStream.range(0, THREADS).map((thread) -> progress.getInt(4 * thread)).sum();
	}

	private static MappedByteBuffer progress(Path directory) throws IOException {
		try (FileChannel file = FileChannel.open(directory.resolve("progress"), StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return file.map(MapMode.READ_WRITE, 0, 4 * THREADS);
		}
	}

	static ByteString id(String prefix, int number) {
		return ByteString.copyFromUtf8(prefix + number);
	}

	/** 100 to 3,000 bytes, derived from the number only. */
	static byte[] payload(int number) {
		Random random = new Random(number);
		byte[] payload = new byte[100 + random.nextInt(2_900)];
		random.nextBytes(payload);
		return payload;
	}

	static boolean isPayload(int number, byte[] payload) {
		return Arrays.equals(payload, payload(number));
	}

}
