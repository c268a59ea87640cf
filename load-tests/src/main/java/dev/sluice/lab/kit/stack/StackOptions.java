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
	 * Three threads for the optimizing compiler, and no code that measures itself while
	 * they have work. On fewer than eight cores a JVM has one thread or two, and while
	 * all cores are busy each thread gets the same share: a gateway then takes twice as
	 * long to become warm. Code with full profiles is the slower kind, and useless until
	 * the optimizing compiler can take it.
	 */
	public static final List<String> COMPILERS = (Runtime.getRuntime().availableProcessors() < 8)
			? List.of("-XX:CICompilerCount=4", "-XX:Tier3DelayOn=0") : List.of();

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
