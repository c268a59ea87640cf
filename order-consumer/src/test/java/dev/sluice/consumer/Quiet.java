package dev.sluice.consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Turns the log off during a simulation, which would report thousands of outages. */
public final class Quiet implements BeforeAllCallback, AfterAllCallback {

	private static final Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice");

	@Override
	public void beforeAll(ExtensionContext context) {
		logger.setLevel(Level.OFF);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		logger.setLevel(null);
	}

}
