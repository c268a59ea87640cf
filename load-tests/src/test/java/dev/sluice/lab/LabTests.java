package dev.sluice.lab;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class LabTests {

	/** Nobody listens on port 1. */
	private static final String NOBODY = "http://127.0.0.1:1";

	private final LabRun lab = new LabRun();

	@Test
	void helpEndsWith0() {
		assertThat(lab("--help")).isZero();
		assertThat(this.lab.out()).contains("up ", "order ", "doctor ");
	}

	@Test
	void everyCommandHasHelp() {
		for (String command : Lab.commandLine().getSubcommands().keySet()) {
			assertThat(lab(command, "--help")).as(command).isZero();
		}
	}

	@Test
	void completionKnowsEveryCommand() {
		assertThat(lab("generate-completion")).isZero();

		assertThat(this.lab.out()).contains(Lab.commandLine().getSubcommands().keySet())
			.contains("--in-flight", "complete -F _complete_lab");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			compare --burst --orders ten | ten
			compare --orders 10 | add it
			compare --burst --orders 0 | at least 1
			compare --in-flight 0 | at least 1
			compare --rates 100 --burst | choose one
			compare --in-flight 10 --rates 100 | choose one
			compare --seed x | --seed
			compare --variants servlet | servlet-platform
			compare --modes both | sync, queued
			compare --repetitions 0 | at least 1
			compare --delivery-concurrency 0 | at least 1
			compare --unknown | --unknown
			compare --target http://127.0.0.1:9 --rates 5 --burst | leave out --burst
			compare --causes --burst | leave out --burst
			compare --causes --quick --repetitions 8 | no repetitions
			chaos --rate 0 | --rate must be above 0
			chaos --minutes 400 | give 1 to 2000000 orders
			chaos --faults sink | Invalid value for option '--faults' (TARGET): expected one of
			chaos --quick --smallest | mutually exclusive
			chaos --brokers 2 | --brokers must be 1 or 3
			surge --steps 300 | is not like 3000:30
			surge --steps 300:0 | is not like 3000:30
			surge --steps 0:5 | is not like 3000:30
			surge --steps 100000:100 | --steps: 1 to 5000000 orders
			surge --connections 0 | --connections: 1 to 20000
			surge --heap 64 | --heap: at least 128 MB
			surge --repetitions 0 | --repetitions: at least 1
			surge --modes sync --keys | --keys: not with sync orders
			surge --variants tomcat | servlet-platform
			surge --modes luck | is none of
			client | --uri says what to GET
			client --uri ftp://127.0.0.1/ | --uri must be like http
			client --uri http://127.0.0.1:70000/ | --uri must be like http
			client --uri http://127.0.0.1/ --mode luck | expected one of
			client --uri http://127.0.0.1/ --duration 0 | 1 to 5000000 requests in at least 1 s
			client --uri http://127.0.0.1/ -r 0 | 1 to 5000000 requests
			client --uri http://127.0.0.1/ -r 0.01 -d 20 | 1 to 5000000 requests
			client --uri http://127.0.0.1/ -r 1e6 -d 60 | 1 to 5000000 requests
			client --uri http://127.0.0.1/ --reference-table | leave --uri out
			watch --port 65536 | --port: 0 to 65535
			watch --port-offset -1 | --port-offset: 0 to 50000
			watch --target a=ftp://127.0.0.1 | is not like gateway=http://127.0.0.1:8080
			watch --target a=127.0.0.1 | is not like gateway=http://127.0.0.1:8080
			up --infra podman | 'podman'
			up --port-offset -1 | --port-offset: 0 to
			up --patience 0 | --patience: 1 to 100
			drain --patience 0.9 | --patience
			drain --patience 101 | --patience
			drain --patience NaN | --patience
			drain --patience long | --patience
			up --threads green | platform, virtual or async
			order --gateway localhost | is not an HTTP address
			knee --goal fast | is not like p99=200ms
			compare --ordrs 10 | did you mean --orders
			compare --scenario absent.yaml | absent.yaml
			grid --delays | --delays
			comprae | comprae
			compare --infra docker | [AUTO, CONTAINERS, EMBEDDED]
			""")
	void wrongUsageEndsWith2AndTwoLinesThatSayWhatIsRight(String arguments, String hint) {
		assertThat(lab(arguments.split(" "))).isEqualTo(2);

		String[] words = arguments.split(" ");
		assertThat(this.lab.err().lines()).hasSize(2).first().asString().startsWith("lab: ").contains(hint);
		assertThat(this.lab.err())
			.endsWith("Try './lab %s--help'%n".formatted(arguments.startsWith("comprae") ? "" : words[0] + " "));
	}

	@Test
	void failureEndsWith1AndOneLineThatSaysWhatToDo() {
		assertThat(lab("order", "--gateway", NOBODY)).isEqualTo(1);

		assertThat(this.lab.err()).hasLineCount(1).startsWith("lab: no answer from").contains("./lab up");
	}

	@Test
	void doctorWantsATemporaryDirectoryThatRunsPrograms() {
		String directory = System.setProperty("java.io.tmpdir", "/proc");
		try {
			assertThat(lab("doctor")).isOne();
		}
		finally {
			System.setProperty("java.io.tmpdir", directory);
		}

		assertThat(this.lab.out()).containsPattern("fail  programs +none runs from /proc")
			.containsPattern("(ok  |warn)  CPU +(other processes use \\d+ %|what other processes use is not known)");
	}

	@Test
	void verboseShowsWhereAFailureComesFrom() {
		assertThat(lab("order", "--verbose", "--gateway", NOBODY)).isEqualTo(1);

		assertThat(this.lab.err()).contains("at dev.sluice.lab.PlaceOrder");
	}

	private int lab(String... args) {
		return this.lab.execute(args);
	}

}
