package dev.sluice.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of {@code docs/sink-machines.md} that is generated from one machine: a
 * diagram. {@code mvn test -pl grpc-sink -am -Dsluice.docs=write} writes it.
 */
public final class MachineDoc {

	private static final Path FILE = Path.of("../docs/sink-machines.md");

	private final String name;

	private final List<Row> rows = new ArrayList<>();

	private record Row(String state, String event, String next, String effects) {
	}

	public MachineDoc(String name) {
		this.name = name;
	}

	/** The result of an event in a state, in the words of the code. */
	public MachineDoc row(Enum<?> state, String event, Enum<?> next, List<? extends Enum<?>> effects) {
		String done = String.join(", ", effects.stream().map(MachineDoc::words).toList());
		this.rows.add(new Row(words(state), event, words(next), done.isEmpty() ? "nothing" : done));
		return this;
	}

	public static String words(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	/** Fails if the document differs. */
	public void assertWritten() throws IOException {
		String begin = "<!-- begin " + this.name + " -->\n";
		String end = "<!-- end " + this.name + " -->";
		String document = Files.readString(FILE);
		int from = document.indexOf(begin) + begin.length();
		int to = document.indexOf(end);
		if ("write".equals(System.getProperty("sluice.docs"))) {
			Files.writeString(FILE, document.substring(0, from) + render() + document.substring(to));
		}
		else {
			assertThat(document.substring(from, to)).as("run with -Dsluice.docs=write to bring %s up to date", FILE)
				.isEqualTo(render());
		}
	}

	private String render() {
		StringBuilder out = new StringBuilder("```mermaid\nstateDiagram-v2\n");
		out.append("    [*] --> ").append(id(this.rows.getFirst().state())).append('\n');
		Map<String, List<String>> edges = new LinkedHashMap<>();
		for (Row row : this.rows) {
			edges.computeIfAbsent(id(row.state()) + " --> " + id(row.next()), (_) -> new ArrayList<>())
				.add(row.event() + " / " + row.effects());
		}
		edges.forEach((edge, labels) -> out.append("    %s: %s%n".formatted(edge, String.join("<br>", labels))));
		return out.append("```\n").toString();
	}

	private static String id(String state) {
		return state.replace(' ', '_');
	}

}
