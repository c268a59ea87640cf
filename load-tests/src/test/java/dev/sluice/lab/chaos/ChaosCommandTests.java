package dev.sluice.lab.chaos;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class ChaosCommandTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					--rate 0                         | --rate must be above 0
					--sync-share 1.5                 | --sync-share must be between 0 and 1
					--orders 100 --minutes 1         | use one of them
					--orders 3000000                 | Between 1 and 2,000,000 orders
					--faults sink                    | fault 'sink' is unknown: use gateway, consumer, broker, postgres, backend
					--kinds burn                     | kind 'burn' is unknown
					--faults backend --kinds kill    | None of [backend] can be broken by [kill]
					--quick --smallest               | mutually exclusive
					--smallest --minutes 1           | The load must last at least 63 s for 16 faults
					--minutes 1 --kills-each 20      | The load must last at least
					--kills-each 0                   | At least one kill
					--consumers 5                    | --consumers must be between 1 and 4
					--customers 0                    | --customers must be at least 1
					--brokers 2                      | --brokers must be 1 or 3
					--target http://h --rate 1 --brokers 3        | --target is broken by the commands in its file alone: leave out --brokers
					--target http://h --rate 1 --consumers 2      | leave out --consumers
					--target http://h --rate 1 --kinds kill       | leave out --kinds
					--target http://h --rate 1 --ordering key     | leave out --ordering
					--target http://h --rate 1 --store postgres   | leave out --store
					--target http://h --rate 1 --infra embedded   | leave out --infra
					--target http://h                             | --target needs --rate
					--target http://h --rate 1 --faults consumer  | fault 'consumer' is not in the target: give it 'faults', in a target file
					--target http://h --rate 0                    | --rate must be above 0
					--target http://h --rate 1 --kills-each 0     | --kills-each must be at least 1
					--token-file x                                | --token-file, --ca and --insecure need --target
					""")
	void refusesWhatCannotBe(String arguments, String message) {
		assertRefused(arguments, message);
	}

	@Test
	void refusesAFaultThatTheTargetDoesNotName() throws IOException {
		Path file = Files.writeString(this.directory.resolve("target.yaml"),
				"gateways: {a: http://h}\nfaults: {consumer: {begin: x}, broker: {begin: y}}\n");

		assertRefused("--target %s --rate 1 --faults broker,postgres".formatted(file),
				"fault 'postgres' is not in the target: use consumer, broker");
		assertRefused("--target %s --rate 20 --minutes 0.3".formatted(file),
				"The load must last at least 21 s for 2 faults; this one lasts 18 s");
	}

	private static void assertRefused(String arguments, String message) {
		StringWriter err = new StringWriter();

		int exit = new CommandLine(new ChaosCommand(Report::write)).setErr(new PrintWriter(err))
			.execute(arguments.split(" "));

		assertThat(exit).isEqualTo(2);
		assertThat(err.toString()).contains(message);
	}

}
