package dev.sluice.sink.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import dev.sluice.topics.TopicSpec;
import dev.sluice.topics.TopicWatch;
import dev.sluice.topics.TopicsState;
import org.apache.kafka.clients.admin.Admin;

import org.springframework.context.SmartLifecycle;

/**
 * Watches the topic {@code sink} and creates it if it is missing. Start-up does not wait
 * for that. While the topic is missing, no message is stored: otherwise the broker could
 * create the topic itself. Uses one thread, see {@link TopicWatch}.
 */
public final class SinkTopic implements SmartLifecycle {

	private final TopicWatch watch;

	private final List<TopicWatch.Preparation> onNew = new CopyOnWriteArrayList<>();

	private volatile boolean running;

	/**
	 * Creates a watch, which does nothing until it is started.
	 * @param topic specification to create the topic with
	 * @param admin configuration of an admin client
	 * @param admins creates an admin client
	 */
	public SinkTopic(TopicSpec topic, Map<String, Object> admin, Function<Map<String, Object>, Admin> admins) {
		this.watch = new TopicWatch(List.of(topic), admin, this::forget, admins);
	}

	/** Whether the topic exists. */
	boolean ready() {
		return this.watch.ready();
	}

	/** The state of the topic, for the health indicator. */
	public TopicsState state() {
		return this.watch.state();
	}

	/**
	 * Adds a callback that discards knowledge of an earlier topic. It is called before
	 * any message is accepted, and again after the topic was deleted and created.
	 */
	public void onNew(TopicWatch.Preparation forget) {
		this.onNew.add(forget);
	}

	private void forget() throws InterruptedException {
		for (TopicWatch.Preparation forget : this.onNew) {
			forget.prepare();
		}
	}

	@Override
	public void start() {
		this.running = true;
		this.watch.start();
	}

	@Override
	public void stop() {
		this.running = false;
		this.watch.close();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
