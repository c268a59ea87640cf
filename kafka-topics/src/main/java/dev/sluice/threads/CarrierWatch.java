package dev.sluice.threads;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jdk.management.VirtualThreadSchedulerMXBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives virtual threads more carriers while none of them runs. A virtual thread that
 * waits while the JVM loads or initializes a class keeps its carrier (JEP 491). If all
 * carriers are kept so, and the threads wait for a lock whose owner waits for a carrier,
 * none would ever run again.
 */
public final class CarrierWatch {

	/** Longer than any delay at which requests are still let in. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	/** The JDK's default maximum of carriers. */
	private static final int MAX_CARRIERS = 256;

	/** Time for new carriers to free the others. */
	private static final Duration NEXT = Duration.ofMillis(100);

	private static final Logger logger = LoggerFactory.getLogger(CarrierWatch.class);

	private final VirtualThreadSchedulerMXBean scheduler = ManagementFactory
		.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

	private final int carriers = this.scheduler.getParallelism();

	private final Duration patience;

	CarrierWatch(Duration patience) {
		this.patience = patience;
	}

	/** Starts the watch, on a daemon thread. */
	public static void start() {
		CarrierWatch watch = new CarrierWatch(PATIENCE);
		new Supervisor((_) -> {
		}).start("carrier-watch", watch::look);
	}

	/**
	 * Looks whether a virtual thread runs.
	 * @return when to look again; not before each one that waited has had a carrier
	 */
	Duration look() throws InterruptedException {
		CountDownLatch ran = new CountDownLatch(1);
		Thread.startVirtualThread(ran::countDown);
		if (!ran.await(this.patience.toMillis(), TimeUnit.MILLISECONDS)) {
			logger.warn("A virtual thread has waited for a carrier for {} s: adding carriers until none waits",
					this.patience.toSeconds());
			int more = this.carriers;
			try {
				// The new carriers may take later threads first, and be kept as well.
				while (this.scheduler.getQueuedVirtualThreadCount() > 0) {
					if (more < MAX_CARRIERS) {
						more = Math.min(2 * more, MAX_CARRIERS);
						this.scheduler.setParallelism(more);
						// A carrier starts when a queue of the scheduler was empty, and
						// each
						// platform thread has its own.
						Thread.ofPlatform().daemon().start(() -> Thread.startVirtualThread(ran::countDown));
					}
					Thread.sleep(NEXT);
				}
			}
			finally {
				this.scheduler.setParallelism(this.carriers);
			}
			logger.info("No virtual thread waits for a carrier any more; there were {}", more);
		}
		return this.patience;
	}

}
