package dev.sluice.lab.kit.stack;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link Stack}.
 *
 * @param brokers number of Kafka brokers, 1 or 3; each topic has as many replicas
 * @param jvmArgs JVM options of every service; if two conflict, the JVM takes the last
 * @param portOffset added to the documented ports; null for free ports
 */
public record StackOptions(int brokers, List<String> jvmArgs, @Nullable Integer portOffset) {

	/**
	 * How services compile: as in the images, see {@code docker/jvm}. On fewer than eight
	 * cores the optimizing compiler gets three threads, not one or two: while all cores
	 * are busy, each thread has the same share.
	 */
	public static final List<String> COMPILERS = Stream
		.concat(Stream.of("-XX:FreqInlineSize=120", "-XX:InlineSmallCode=1200", "-XX:Tier3DelayOn=0"),
				(Runtime.getRuntime().availableProcessors() < 8) ? Stream.of("-XX:CICompilerCount=4") : Stream.of())
		.toList();

	/**
	 * The JVM options of every service, the same for all so that they can be compared.
	 * One that runs out of memory exits, instead of continuing with some of its threads.
	 */
	public static final List<String> JVM_ARGS = Stream
		.concat(Stream.of("-Xms384m", "-Xmx384m", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"), COMPILERS.stream())
		.toList();

	/** Of services that are not measured: without the compiler that optimizes. */
	public static final String CHECKING_JVM_ARG = "-XX:TieredStopAtLevel=1";

	/** One broker and free ports. */
	public static final StackOptions DEFAULT = new StackOptions(1, JVM_ARGS, null);

	/**
	 * For a run that shows that everything works and measures nothing: services that
	 * compile as little as possible.
	 */
	public static final StackOptions CHECKING = DEFAULT.withJvmArgs(CHECKING_JVM_ARG);

	public StackOptions {
		jvmArgs = List.copyOf(jvmArgs);
	}

	public StackOptions withBrokers(int value) {
		return new StackOptions(value, this.jvmArgs, this.portOffset);
	}

	/** Adds JVM options of every service. */
	public StackOptions withJvmArgs(String... values) {
		return new StackOptions(this.brokers, Stream.concat(this.jvmArgs.stream(), Stream.of(values)).toList(),
				this.portOffset);
	}

	/** Uses the documented ports, each plus this offset. */
	public StackOptions withFixedPorts(int offset) {
		return new StackOptions(this.brokers, this.jvmArgs, offset);
	}

}
