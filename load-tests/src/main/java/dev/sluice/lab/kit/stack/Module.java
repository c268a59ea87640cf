package dev.sluice.lab.kit.stack;

/** A module that is a service: {@code X/target/X.jar}. */
public enum Module {

	BACKEND("backend-mock", 8090),

	CONSUMER("order-consumer", 8082),

	GATEWAY_SERVLET("gateway-servlet", 8080, 8084),

	GATEWAY_REACTIVE("gateway-reactive", 8081, 8085),

	SINK("grpc-sink", 8083);

	/** The sink's gRPC port; its other port is for management. */
	static final int SINK_GRPC_PORT = 9190;

	static final int KAFKA_PORT = 9092;

	static final int POSTGRES_PORT = 5432;

	private final String directory;

	private final int port;

	private final int managementPort;

	Module(String directory, int port) {
		this(directory, port, port);
	}

	Module(String directory, int port, int managementPort) {
		this.directory = directory;
		this.port = port;
		this.managementPort = managementPort;
	}

	/** The name of its directory and its jar. */
	public String directory() {
		return this.directory;
	}

	/** The default HTTP port. */
	public int port() {
		return this.port;
	}

	/** The default port for health and metrics: the HTTP port or another. */
	public int managementPort() {
		return this.managementPort;
	}

}
