package dev.sluice.consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A test of consumers in this JVM, which end with its class. */
public abstract class ConsumerTest {

	protected static ConsumerHarness harness;

	@BeforeAll
	static void share() {
		harness = ConsumerHarness.shared();
	}

	@AfterAll
	static void stopConsumers() {
		if (harness != null) {
			harness.stopConsumers();
		}
	}

}
