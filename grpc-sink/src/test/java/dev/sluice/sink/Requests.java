package dev.sluice.sink;

import java.util.List;
import java.util.Random;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Session;

/** Random requests, and reads them as the generated parser does. */
public final class Requests {

	private Requests() {
	}

	/** The messages of a request, one or several, without unknown fields. */
	public static List<BatchedMessage> messages(Request request) {
		if (request.getMessagesCount() > 0) {
			return request.getMessagesList()
				.stream()
				.map((message) -> message.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance()).build())
				.toList();
		}
		BatchedMessage.Builder alone = BatchedMessage.newBuilder()
			.setMessageId(request.getMessageId())
			.setRoutingKey(request.getRoutingKey())
			.setSequence(request.getSequence());
		return List.of(switch (request.getPayloadCase()) {
			case PLAIN_MESSAGE -> alone.setPlainMessage(request.getPlainMessage()).build();
			case ZSTD_COMPRESSED -> alone.setZstdCompressed(request.getZstdCompressed()).build();
			case PAYLOAD_NOT_SET -> alone.build();
		});
	}

	/** One message or several, mostly as a sink takes them. */
	public static Request random(Random random) {
		Request.Builder request = Request.newBuilder().setVersion((random.nextInt(3) == 0) ? 1 : 2);
		boolean numbered = (request.getVersion() == 2 && random.nextBoolean()) || rarely(random);
		if (numbered && random.nextInt(3) > 0) {
			request.setSession(Session.newBuilder()
				.setId(ByteString.copyFrom(new byte[rarely(random) ? random.nextInt(20) : 8 + random.nextInt(3)]))
				.setFirstUnsettled(1 + random.nextInt(3))
				.setFirstNew(random.nextInt(3))
				.setAgeMillis(rarely(random) ? -1 : random.nextInt(1_000)));
		}
		if (random.nextInt(4) == 0) {
			request.setUnknownFields(unknown(11, random));
		}
		if (random.nextBoolean()) {
			for (int i = rarely(random) ? 250 + random.nextInt(10) : 1 + random.nextInt(5); i > 0; i--) {
				request.addMessages(message(random, numbered));
			}
			return request.build();
		}
		BatchedMessage alone = message(random, numbered);
		request.setMessageId(alone.getMessageId())
			.setRoutingKey(alone.getRoutingKey())
			.setSequence(alone.getSequence());
		return switch (alone.getPayloadCase()) {
			case PLAIN_MESSAGE -> request.setPlainMessage(alone.getPlainMessage()).build();
			case ZSTD_COMPRESSED -> request.setZstdCompressed(alone.getZstdCompressed()).build();
			case PAYLOAD_NOT_SET -> request.build();
		};
	}

	private static BatchedMessage message(Random random, boolean numbered) {
		byte[] payload = bytes(random, 400);
		BatchedMessage.Builder message = BatchedMessage.newBuilder()
			.setMessageId(ByteString.copyFrom(new byte[1 + random.nextInt(rarely(random) ? 80 : 40)]))
			.setRoutingKey(ByteString.copyFrom(bytes(random, random.nextBoolean() ? 1 : 130)));
		if (numbered) {
			message.setSequence(rarely(random) ? -1 : 1 + random.nextInt(random.nextBoolean() ? 50 : 1_000_000));
		}
		return (switch (random.nextInt(8)) {
			case 0 -> message.setUnknownFields(unknown(random.nextBoolean() ? 1 : 12, random));
			case 1 -> message.setZstdCompressed(ByteString.copyFrom(payload));
			case 2, 3, 4 -> message.setZstdCompressed(ByteString.copyFrom(Zstd.compress(payload)));
			default -> message.setPlainMessage(ByteString.copyFrom(payload));
		}).build();
	}

	private static UnknownFieldSet unknown(int number, Random random) {
		UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder().addVarint(3).addFixed32(4);
		if (random.nextBoolean()) {
			field.addGroup(UnknownFieldSet.newBuilder()
				.addField(1, UnknownFieldSet.Field.newBuilder().addFixed64(1).build())
				.build());
		}
		return UnknownFieldSet.newBuilder().addField(number, field.build()).build();
	}

	/** Fewer random bytes than the bound. */
	private static byte[] bytes(Random random, int bound) {
		byte[] bytes = new byte[random.nextInt(bound)];
		random.nextBytes(bytes);
		return bytes;
	}

	private static boolean rarely(Random random) {
		return random.nextInt(30) == 0;
	}

}
