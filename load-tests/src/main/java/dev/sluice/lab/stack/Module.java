package dev.sluice.lab.stack;

/** A module that is a service: {@code X/target/X.jar}. */
public enum Module {

	BACKEND("backend-mock", 8090),

	CONSUMER("order-consumer", 8082),

	GATEWAY_SERVLET("gateway-servlet", 8080),

	GATEWAY_REACTIVE("gateway-reactive", 8081),

	SINK("grpc-sink", 8083);

	/** Where the sink listens for gRPC; its other port is for management. */
	static final int SINK_GRPC_PORT = 9190;

	static final int KAFKA_PORT = 9092;

	static final int POSTGRES_PORT = 5432;

	private final String directory;

	private final int port;

	Module(String directory, int port) {
		this.directory = directory;
		this.port = port;
	}

	/** Name of the directory and of the jar. */
	public String directory() {
		return this.directory;
	}

	/** The HTTP port it has by default. */
	public int port() {
		return this.port;
	}

}
