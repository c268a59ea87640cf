package dev.sluice.contract;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The members of a {@link BackendAnswer} that are read. Each is null if it is missing or
 * not a string.
 */
record AnswerMembers(@Nullable String id, @Nullable String savedAt, @Nullable String type) {

	private static final JsonFactory JSON = new JsonFactory();

	/** The members of a body; null if it is not one whole JSON object. */
	static @Nullable AnswerMembers of(byte[] body) {
		String id = null;
		String savedAt = null;
		String type = null;
		try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), body)) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				return null;
			}
			while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
				String name = parser.currentName();
				String value = (parser.nextToken() == JsonToken.VALUE_STRING) ? parser.getString() : null;
				switch (name) {
					case "id" -> id = value;
					case "savedAt" -> savedAt = value;
					case "type" -> type = value;
					default -> {
					}
				}
				parser.skipChildren();
			}
			return (parser.nextToken() == null) ? new AnswerMembers(id, savedAt, type) : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

}
