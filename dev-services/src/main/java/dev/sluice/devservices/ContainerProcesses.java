package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import org.testcontainers.DockerClientFactory;

/** The processes of containers, as this machine sees them. */
public final class ContainerProcesses {

	private ContainerProcesses() {
	}

	/**
	 * The first process of the running container that this JVM has started and that
	 * publishes the port. Empty if there is none, or if containers are not processes of
	 * this machine (an engine elsewhere, or in a virtual machine).
	 * @param port the port on the host
	 */
	public static Optional<Long> publishing(int port) {
		DockerClient engine = DockerClientFactory.instance().client();
		try {
			return engine.listContainersCmd()
				.withLabelFilter(Map.of("org.testcontainers.sessionId", DockerClientFactory.SESSION_ID))
				.withFilter("publish", List.of(Integer.toString(port)))
				.exec()
				.stream()
				.flatMap((container) -> process(engine, container.getId()).stream())
				.findFirst();
		}
		catch (DockerException _) {
			return Optional.empty(); // It has just ended.
		}
	}

	private static Optional<Long> process(DockerClient engine, String container) {
		Long pid = engine.inspectContainerCmd(container).exec().getState().getPidLong();
		return Optional.ofNullable(pid).filter((known) -> isOfContainer(known, container));
	}

	/** Rules out another process that happens to have this id. */
	private static boolean isOfContainer(long pid, String container) {
		try {
			return Files.readString(Path.of("/proc", Long.toString(pid), "cgroup")).contains(container);
		}
		catch (IOException _) {
			return false;
		}
	}

}
