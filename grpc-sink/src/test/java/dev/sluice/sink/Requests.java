package dev.sluice.sink;

import java.util.List;

import com.google.protobuf.UnknownFieldSet;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;

/** Reads requests as the generated parser does. */
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

}
