package dev.sluice.lab.docs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import dev.sluice.lab.Lab;
import dev.sluice.lab.LabRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every call of {@code ./lab} in the documents names a command and options that exist,
 * and every experiment is documented.
 */
class CommandDocumentTests {

	private static final CommandLine LAB = Lab.commandLine();

	/** A row that links to an experiment's page and has its command. */
	private static final Pattern ROW = Pattern.compile("(?m)^\\| \\[.*`\\./lab ([a-z-]+)[^`]*` \\|$");

	static List<Path> documents() throws IOException {
		List<Path> documents = new ArrayList<>(MarkdownDocument.all());
		documents.removeIf((document) -> document.endsWith("CHANGELOG.md"));
		return documents;
	}

	@ParameterizedTest
	@MethodSource("documents")
	void everyCommandExists(Path document) throws IOException {
		assertThat(new MarkdownDocument(document).labCommands()).as(document.toString())
			.allSatisfy((command) -> assertThat(unknown(command)).as(command).isEmpty());
	}

	@Test
	void everyExperimentIsInTheTableOfTheLaboratory() throws IOException {
		String text = new MarkdownDocument(MarkdownDocument.ROOT.resolve("docs/laboratory.md")).text();

		assertThat(ROW.matcher(text).results().map((row) -> row.group(1)))
			.as("commands in the table of experiments: add a row for a missing one to docs/laboratory.md; see \"Add an experiment\" in CONTRIBUTING.md")
			.containsAll(LabRun.experiments());
	}

	@Test
	void findsWhatDoesNotExist() {
		assertThat(unknown("./lab compare --quick --modes sync --causes=x")).isEmpty();
		assertThat(unknown("./lab compare --slow")).containsExactly("--slow");
		assertThat(unknown("./lab dance --quick")).containsExactly("dance");
		assertThat(unknown("./lab --help")).isEmpty();
	}

	private static List<String> unknown(String command) {
		List<String> unknown = new ArrayList<>();
		CommandLine found = LAB;
		String[] words = command.split("\\s+");
		for (String word : List.of(words).subList(1, words.length)) {
			if (word.startsWith("-")) {
				String name = word.replaceFirst("=.*", "");
				if (found.getCommandSpec().findOption(name) == null) {
					unknown.add(name);
				}
			}
			else if (found.getCommandSpec().parent() == null) {
				CommandLine subcommand = found.getSubcommands().get(word);
				if (subcommand == null) {
					return List.of(word);
				}
				found = subcommand;
			}
		}
		return unknown;
	}

}
