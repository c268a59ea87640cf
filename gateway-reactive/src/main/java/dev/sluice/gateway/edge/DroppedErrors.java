package dev.sluice.gateway.edge;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Hooks;
import reactor.netty.channel.AbortedException;

/**
 * Logs errors that Reactor can signal to nobody, except that a client disconnected before
 * it had its answer: Reactor would log a stack trace for each.
 */
@Component
final class DroppedErrors {

	private static final Logger log = LoggerFactory.getLogger(DroppedErrors.class);

	// Once, because the hook is the JVM's and Reactor adds up hooks.
	static {
		Hooks.onErrorDropped(DroppedErrors::log);
	}

	private static void log(Throwable error) {
		if (AbortedException.isConnectionReset(error)) {
			log.debug("The client has disconnected", error);
		}
		else {
			log.error("Reactor dropped an error because nothing waited for it", error);
		}
	}

}
