package dev.sluice.gateway;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;

/** The thread models that block: {@code platform} and {@code virtual}. */
public final class NotAsync extends NoneNestedConditions {

	NotAsync() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
	static final class Async {

	}

}
