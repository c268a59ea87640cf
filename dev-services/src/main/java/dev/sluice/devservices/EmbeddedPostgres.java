package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** PostgreSQL under a child JVM, which stops it when the JVM itself ends. */
final class EmbeddedPostgres implements Server, PostgresService {

	/**
	 * Unpacking PostgreSQL for the first time takes more than 64 MiB of heap, running it
	 * takes none.
	 */
	private static final List<String> JVM_ARGS = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

	private final EmbeddedProcess process;

	private final int wantedPort;

	private volatile int port;

	/**
	 * Starts nothing.
	 * @param port 0 picks a free one
	 * @param directory null for a temporary one
	 */
	EmbeddedPostgres(int port, @Nullable Path directory) {
		this.wantedPort = port;
		this.process = new EmbeddedProcess("postgres", PostgresMain.class, JVM_ARGS, directory);
	}

	@Override
	public void start() {
		int again = (this.port != 0) ? this.port : this.wantedPort;
		Ports.requireFree(again, "PostgreSQL");
		int chosen = (again != 0) ? again : Ports.free();
		this.process.start(chosen);
		// Only now: if the first start fails, the next one may choose another port.
		this.port = chosen;
	}

	@Override
	public void kill() {
		this.process.kill();
	}

	@Override
	public void stop() {
		this.process.stop();
	}

	@Override
	public void freeze() {
		this.process.freeze();
	}

	@Override
	public void unfreeze() {
		this.process.unfreeze();
	}

	@Override
	public void close() {
		this.process.close();
	}

	@Override
	public String host() {
		return "127.0.0.1";
	}

	@Override
	public int port() {
		return this.port;
	}

}
