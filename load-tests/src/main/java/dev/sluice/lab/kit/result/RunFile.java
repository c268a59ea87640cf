package dev.sluice.lab.kit.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and writes {@code run.json}. The message of every exception is one line for the
 * user: which file, what is wrong with it and what to do.
 */
public final class RunFile {

	/** The file's name in a run's directory. */
	public static final String NAME = "run.json";

	private static final JsonMapper JSON = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

	private RunFile() {
	}

	/**
	 * Writes the run so that a reader sees the whole file or none.
	 * @param directory the run's directory, created if it is missing
	 * @throws IOException if it cannot be written
	 */
	public static Path write(RunResult run, Path directory) throws IOException {
		Files.createDirectories(directory);
		Path file = directory.resolve(NAME);
		Path unfinished = directory.resolve(NAME + ".tmp");
		Files.write(unfinished, JSON.writeValueAsBytes(run));
		return Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
	}

	/**
	 * Reads a run.
	 * @param file a {@code run.json}
	 * @throws IOException if there is none, it cannot be read, it is not a run or its
	 * schema is not {@value RunResult#SCHEMA}
	 */
	public static RunResult read(Path file) throws IOException {
		try {
			return parse(file.toString(), Files.readAllBytes(file));
		}
		catch (NoSuchFileException ex) {
			throw new IOException("There is no %s: name the directory of a finished run".formatted(file), ex);
		}
	}

	/**
	 * Reads a run.
	 * @param file its name, or that of an archive's entry
	 * @throws IOException as for a file
	 */
	public static RunResult parse(String file, byte[] content) throws IOException {
		try {
			JsonNode json = JSON.readTree(content);
			JsonNode schema = json.path("schema");
			if (!schema.isInt()) {
				throw new IOException("%s is not the result of a run: it has no \"schema\" number".formatted(file));
			}
			if (schema.intValue() != RunResult.SCHEMA) {
				throw new IOException(
						"%s is of schema %s and this lab reads schema %s: use the lab of the commit that measured it, or measure again"
							.formatted(file, schema.intValue(), RunResult.SCHEMA));
			}
			return JSON.treeToValue(json, RunResult.class);
		}
		catch (JacksonException ex) {
			throw new IOException("%s is damaged or incomplete (%s): restore it, or measure again".formatted(file,
					ex.getOriginalMessage().lines().findFirst().orElse("no detail")), ex);
		}
	}

}
