package dev.sluice.gateway.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Runs calls that block, the look-ups over JDBC, each on a virtual thread. The limit on
 * requests in progress bounds their number.
 */
@Component
@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
final class BlockingCalls implements DisposableBean {

	private final ExecutorService threads = Executors
		.newThreadPerTaskExecutor(Thread.ofVirtual().name("lookup-", 0).factory());

	<T> CompletableFuture<T> call(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call, this.threads);
	}

	@Override
	public void destroy() {
		this.threads.shutdown();
	}

}
