package dev.sluice.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

import dev.sluice.contract.FakeBackend.Reply;
import org.jspecify.annotations.Nullable;

/**
 * What a backend, or whoever stands in front of it, may answer to an order, and what that
 * means: the same for every gateway and for the consumer.
 *
 * @param name what it is
 * @param statuses its HTTP statuses; all but the last are informational
 * @param contentType its media type; empty = none
 * @param body its body, where {@code $ID} stands for the order's id
 * @param meaning {@code saved}, {@code saved, our time}, {@code rejected},
 * {@code conflict}, {@code busy} or {@code failed}
 */
public record AnsweredOrder(String name, List<Integer> statuses, String contentType, String body, String meaning) {

	/** All cases. */
	public static List<AnsweredOrder> all() {
		try (InputStream table = Objects
			.requireNonNull(AnsweredOrder.class.getResourceAsStream("backend-answers.csv"))) {
			return new String(table.readAllBytes(), StandardCharsets.UTF_8).lines()
				.skip(1)
				.map(AnsweredOrder::parse)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Splits at the commas outside of quotes. */
	private static AnsweredOrder parse(String line) {
		List<String> fields = Arrays.stream(line.split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", -1))
			.map((field) -> field.startsWith("\"") ? field.substring(1, field.length() - 1).replace("\"\"", "\"")
					: field)
			.toList();
		return new AnsweredOrder(fields.get(0), Arrays.stream(fields.get(1).split(", ")).map(Integer::valueOf).toList(),
				fields.get(2), fields.get(3), fields.get(4));
	}

	public int status() {
		return this.statuses.getLast();
	}

	/** The body for an order. */
	public byte[] body(UUID id) {
		return this.body.replace("$ID", id.toString())
			.replace("$UPPER", id.toString().toUpperCase(Locale.ROOT))
			.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Gives the answer.
	 * @param retryAfter its {@code Retry-After}, or null
	 */
	public Reply reply(UUID id, @Nullable String retryAfter) {
		StringBuilder head = new StringBuilder();
		head.append("HTTP/1.1 %s X\r\n".formatted(status()));
		byte[] bytes = body(id);
		if (!this.contentType.isEmpty()) {
			head.append("Content-Type: %s\r\n".formatted(this.contentType));
		}
		if (retryAfter != null) {
			head.append("Retry-After: %s\r\n".formatted(retryAfter));
		}
		if (status() != 204 && status() != 304) {
			head.append("Content-Length: %s\r\n".formatted(bytes.length));
		}
		head.append("\r\n");
		return (socket, _) -> {
			for (int early : this.statuses.subList(0, this.statuses.size() - 1)) {
				socket.getOutputStream()
					.write("HTTP/1.1 %s X\r\nLink: </x>\r\n\r\n".formatted(early).getBytes(StandardCharsets.UTF_8));
				socket.getOutputStream().flush();
				// The client reads it by itself, mostly. Nothing depends on that.
				Thread.sleep(50);
			}
			socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.UTF_8));
			socket.getOutputStream().write(bytes);
			socket.getOutputStream().flush();
		};
	}

	@Override
	public String toString() {
		return this.name;
	}

}
