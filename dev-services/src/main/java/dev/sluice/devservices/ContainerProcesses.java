package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import org.testcontainers.DockerClientFactory;

/** The processes of containers, as this machine sees them. */
public final class ContainerProcesses {

	private static final String SESSION_LABEL = "org.testcontainers.sessionId";

	/** As the engine shortens it. */
	private static final int ID_LENGTH = 12;

	private static final Path PROC = Path.of("/proc");

	private ContainerProcesses() {
	}

	/**
	 * The first process of each container that this JVM has started and that runs, by the
	 * image's name and the beginning of the container's id. Empty where they are not
	 * processes of this machine (an engine elsewhere, or in a virtual machine).
	 */
	public static Map<String, Long> ofThisJvm() {
		Map<String, Long> processes = new TreeMap<>();
		DockerClient engine = DockerClientFactory.instance().client();
		try {
			engine.listContainersCmd()
				.withLabelFilter(Map.of(SESSION_LABEL, DockerClientFactory.SESSION_ID))
				.exec()
				.forEach((container) -> {
					String id = container.getId();
					Long pid = engine.inspectContainerCmd(id).exec().getState().getPidLong();
					if (pid != null && isOfContainer(pid, id)) {
						processes.put("%s %s".formatted(container.getImage(), id.substring(0, ID_LENGTH)), pid);
					}
				});
		}
		catch (DockerException _) {
			// One has just ended; what is known by now is what there is to say.
		}
		return processes;
	}

	/** Not some process of ours that has the number by chance. */
	private static boolean isOfContainer(long pid, String containerId) {
		try {
			return Files.readString(PROC.resolve(Long.toString(pid)).resolve("cgroup")).contains(containerId);
		}
		catch (IOException _) {
			return false;
		}
	}

}
