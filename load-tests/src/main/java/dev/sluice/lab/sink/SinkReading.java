package dev.sluice.lab.sink;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

import com.google.protobuf.ByteString;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.sink.reader.StoredMessage;
import dev.sluice.sink.reader.TopicReader;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import tools.jackson.databind.json.JsonMapper;

/** {@code lab sink --read}: prints stored messages, each as a line of JSON. */
final class SinkReading {

	private static final Duration WAIT = Duration.ofMillis(500);

	private static final Pattern SERVERS = Pattern.compile("[^,]+:\\d+(,[^,]+:\\d+)*");

	private static final JsonMapper JSON = new JsonMapper();

	private SinkReading() {
	}

	/**
	 * Prints messages up to the end, or until the process is stopped.
	 * @param servers Kafka's bootstrap servers
	 * @param limit maximum number of messages; 0 for all
	 * @param follow whether to wait for more at the end
	 */
	static void print(String servers, long limit, boolean follow, PrintWriter out) {
		if (!SERVERS.matcher(servers).matches()) {
			throw new LabException("%s is not HOST:PORT".formatted(servers));
		}
		try (TopicReader reader = TopicReader.open(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers))) {
			long printed = 0;
			while (limit == 0 || printed < limit) {
				StoredMessage message = reader.next(WAIT);
				if (message != null) {
					out.println(line(message));
					printed++;
				}
				else if (!follow && reader.lag() == 0) {
					break;
				}
				else {
					out.flush();
				}
			}
			out.flush();
		}
		catch (KafkaException ex) {
			throw new LabException("The topic sink of %s cannot be read: %s".formatted(servers, ex.getMessage()), ex);
		}
	}

	/** Data that is not UTF-8 is in Base64, in another member. */
	static String line(StoredMessage message) {
		Map<String, Object> line = new LinkedHashMap<>();
		line.put("partition", message.partition());
		line.put("offset", message.offset());
		line.put("storedAt", message.storedAt().toString());
		put(line, "id", message.id());
		if (!message.key().isEmpty()) {
			put(line, "key", message.key());
		}
		ByteString session = message.session();
		if (session != null) {
			line.put("session", HexFormat.of().formatHex(session.toByteArray()));
			line.put("sequence", message.sequence());
		}
		put(line, "payload", ByteString.copyFrom(message.payload()));
		return JSON.writeValueAsString(line);
	}

	private static void put(Map<String, Object> line, String name, ByteString bytes) {
		try {
			line.put(name, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString());
		}
		catch (CharacterCodingException _) {
			line.put(name + "Base64", Base64.getEncoder().encodeToString(bytes.toByteArray()));
		}
	}

}
