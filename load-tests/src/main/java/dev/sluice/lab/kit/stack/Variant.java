package dev.sluice.lab.kit.stack;

import java.util.Map;

import com.fasterxml.jackson.annotation.JsonValue;

/** A gateway and its thread model. */
public enum Variant {

	/** All its threads may wait for the backend: a pool of n serves n sync orders. */
	SERVLET_PLATFORM("servlet-platform", Module.GATEWAY_SERVLET,
			Map.of("sluice.threads", "platform", "sluice.reserved-threads-percent", "0")),

	SERVLET_VIRTUAL("servlet-virtual", Module.GATEWAY_SERVLET, Map.of("sluice.threads", "virtual")),

	SERVLET_ASYNC("servlet-async", Module.GATEWAY_SERVLET, Map.of("sluice.threads", "async")),

	REACTIVE("reactive", Module.GATEWAY_REACTIVE, Map.of());

	private final String id;

	private final Module module;

	private final Map<String, String> properties;

	Variant(String id, Module module, Map<String, String> properties) {
		this.id = id;
		this.module = module;
		this.properties = properties;
	}

	/** The name in commands and reports. */
	@JsonValue
	public String id() {
		return this.id;
	}

	public Module module() {
		return this.module;
	}

	/** The Spring properties that choose it. */
	public Map<String, String> properties() {
		return this.properties;
	}

	@Override
	public String toString() {
		return this.id;
	}

}
