package dev.sluice.gateway.edge;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * Starts threads for new requests a few at a time: the next one is started when an
 * earlier one has got a processor. Virtual threads get theirs first come, first served,
 * so this lets requests in progress go on before the many that have just arrived, which
 * wait here without the buffers that Tomcat gives a request with a thread. Each open
 * connection has at most one task here.
 */
public final class InTurn implements Executor {

	private final Executor threads;

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	private final Semaphore turns;

	/**
	 * @param threads starts a thread for each task
	 * @param atOnce maximum number of tasks that have a thread and have not begun to run
	 */
	public InTurn(Executor threads, int atOnce) {
		this.threads = threads;
		this.turns = new Semaphore(atOnce);
	}

	/**
	 * Fails if no thread can be started. The task may still run later; Tomcat has closed
	 * its connection by then.
	 */
	@Override
	public void execute(Runnable task) {
		this.waiting.add(task);
		startNext();
	}

	private void startNext() {
		// Asks again after each release: another thread may have added a task and found
		// no turn meanwhile.
		while (!this.waiting.isEmpty() && this.turns.tryAcquire()) {
			Runnable next = this.waiting.poll();
			if (next == null) {
				this.turns.release();
			}
			else {
				start(next);
			}
		}
	}

	private void start(Runnable task) {
		try {
			this.threads.execute(() -> run(task));
		}
		catch (RuntimeException | Error ex) {
			// Perhaps another caller's, whose connection would wait for ever.
			this.waiting.add(task);
			this.turns.release();
			throw ex;
		}
	}

	private void run(Runnable task) {
		this.turns.release();
		try {
			startNext();
		}
		finally {
			task.run();
		}
	}

}
