package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;

import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedKafkaTests {

	/** Its data may be in a folder with any name. */
	@Test
	void writesPropertiesAsKafkaReadsThem(@TempDir Path directory) throws IOException {
		Properties properties = new Properties();
		properties.put("log.dirs", "/home/sl\u00fcice \u0663");
		Path file = directory.resolve("server.properties");

		EmbeddedKafka.store(properties, file);

		assertThat(Utils.loadProps(file.toString())).isEqualTo(properties);
	}

}
