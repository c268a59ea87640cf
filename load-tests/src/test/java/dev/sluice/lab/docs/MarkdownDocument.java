package dev.sluice.lab.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A document of the project: its text, headings, links and blocks of shell commands. */
final class MarkdownDocument {

	/** The root of the checkout. */
	static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final Set<String> NOT_OURS = Set.of(".git", "target", "results");

	private static final Pattern LINK = Pattern.compile("!?\\[[^\\]]*]\\(([^)\\s]+)\\)");

	private static final Pattern CODE_SPAN = Pattern.compile("`[^`]*`");

	private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");

	private final Path file;

	private final List<String> prose = new ArrayList<>();

	private final List<Block> blocks = new ArrayList<>();

	/**
	 * A fenced block.
	 *
	 * @param heading the heading before it
	 * @param language info string of the fence
	 * @param lines its lines
	 */
	record Block(String heading, String language, List<String> lines) {
	}

	MarkdownDocument(Path file) throws IOException {
		this.file = file;
		String heading = "";
		Block open = null;
		for (String line : Files.readAllLines(file)) {
			if (line.strip().startsWith("```")) {
				if (open == null) {
					open = new Block(heading, line.strip().substring(3), new ArrayList<>());
					this.blocks.add(open);
				}
				else {
					open = null;
				}
			}
			else if (open != null) {
				open.lines().add(line);
			}
			else {
				this.prose.add(line);
				Matcher matcher = HEADING.matcher(line);
				heading = matcher.matches() ? matcher.group(1) : heading;
			}
		}
	}

	/** Every document of the project. */
	static List<Path> all() throws IOException {
		return all(ROOT);
	}

	static List<Path> all(Path root) throws IOException {
		List<Path> found = new ArrayList<>();
		Files.walkFileTree(root, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
				return (!directory.equals(root) && NOT_OURS.contains(directory.getFileName().toString()))
						? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				if (file.getFileName().toString().endsWith(".md")) {
					found.add(file);
				}
				return FileVisitResult.CONTINUE;
			}

		});
		return found.stream().sorted().toList();
	}

	String text() {
		return String.join("\n", this.prose);
	}

	List<Block> blocks() {
		return this.blocks;
	}

	/** Broken links and images within the project, each with the reason. */
	List<String> brokenLinks() throws IOException {
		List<String> broken = new ArrayList<>();
		Matcher matcher = LINK.matcher(String.join("\n", this.prose));
		while (matcher.find()) {
			String link = matcher.group(1);
			if (link.contains("://") || link.startsWith("mailto:")) {
				continue;
			}
			String path = link.replaceFirst("#.*", "");
			Path target = path.isEmpty() ? this.file : this.file.resolveSibling(path).normalize();
			if (!Files.exists(target)) {
				broken.add("%s: there is no %s".formatted(link, target));
			}
			else if (link.contains("#")
					&& !new MarkdownDocument(target).anchors().contains(link.substring(link.indexOf('#') + 1))) {
				broken.add("%s: %s has no such heading".formatted(link, target));
			}
		}
		return broken;
	}

	/** The anchors of the headings, as GitHub makes them. */
	Set<String> anchors() {
		Set<String> anchors = new HashSet<>();
		Map<String, Integer> seen = new HashMap<>();
		for (String line : this.prose) {
			Matcher matcher = HEADING.matcher(line);
			if (matcher.matches()) {
				String anchor = matcher.group(1)
					.replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
					.toLowerCase(Locale.ROOT)
					.replaceAll("[^\\p{L}\\p{N}_ -]", "")
					.replace(' ', '-');
				int count = seen.merge(anchor, 1, Integer::sum);
				anchors.add((count == 1) ? anchor : "%s-%s".formatted(anchor, count - 1));
			}
		}
		return anchors;
	}

	/** Every call of {@code ./lab} in a code block or code span. */
	List<String> labCommands() {
		List<String> commands = new ArrayList<>();
		List<String> code = new ArrayList<>();
		for (Block block : this.blocks) {
			if (block.language().equals("sh")) {
				code.addAll(List.of(String.join("\n", block.lines()).replace("\\\n", " ").split("\n")));
			}
		}
		Matcher spans = CODE_SPAN.matcher(String.join("\n", this.prose));
		while (spans.find()) {
			code.add(spans.group().replace("`", "").replace('\n', ' '));
		}
		for (String line : code) {
			if (line.startsWith("./lab ")) {
				commands.add(line.replaceFirst("\\s+#.*", ""));
			}
		}
		return commands;
	}

}
