package dev.sluice.backend;

import java.util.Objects;
import java.util.stream.Collectors;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;

/**
 * What is wrong with a JSON document, described for its author, without class names.
 *
 * @param field the path of the field, empty for the document
 * @param message what is wrong with it
 */
record JsonProblem(String field, String message) {

	static JsonProblem of(JacksonException exception) {
		String message = switch (exception) {
			case UnrecognizedPropertyException _ -> "is unknown";
			case InvalidTypeIdException ex ->
				(ex.getTypeId() != null) ? "has the unknown kind '" + ex.getTypeId() + "'" : "has no kind";
			case StreamReadException _ -> "is not JSON";
			case ValueInstantiationException ex when ex.getCause() instanceof IllegalArgumentException rule ->
				"cannot be: " + rule.getMessage();
			default -> "cannot be read";
		};
		return new JsonProblem(path(exception), message);
	}

	@Override
	public String toString() {
		return (this.field.isEmpty() ? "The document" : this.field) + " " + this.message;
	}

	private static String path(JacksonException exception) {
		if (!(exception instanceof DatabindException databind)) {
			return "";
		}
		return databind.getPath()
			.stream()
			.map((reference) -> Objects.requireNonNullElse(reference.getPropertyName(), "" + reference.getIndex()))
			.collect(Collectors.joining("."));
	}

}
