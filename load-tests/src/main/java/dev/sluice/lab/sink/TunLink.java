package dev.sluice.lab.sink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.sluice.devservices.JavaProcess;

/**
 * A thin link between this machine and a network namespace of its own in which clients
 * run: a {@link Tun} device at each end, and packets passed from one to the other with a
 * rate and a delay. So TCP is real, with handshakes, windows and losses: what finds the
 * queue full is dropped. For root on Linux.
 * <p>
 * The namespace is that of one thread and of what it starts. Devices and namespace are
 * gone when this is closed or the process ends, however it ends. Bound: what is on its
 * mode, {@value #QUEUE_BYTES} bytes in each direction.
 */
final class TunLink implements SinkLink {

	/** Some 50 ms of 40 Mbit/s. */
	private static final int QUEUE_BYTES = 256 * 1024;

	/** How long it takes a thread to see that the link is closed. */
	private static final Duration PATIENCE = Duration.ofMillis(100);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/** Addresses for measurements of networks (RFC 2544): 198.18.0.0/15. */
	private static final String ADDRESS = "198.18.%d.%d";

	private static final String NAME = "sluice";

	private final int sinkPort;

	private final long delayNanos;

	private final ExecutorService farEnd = Executors
		.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("link-far-end").factory());

	private final List<Tun> devices = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final String sinkAddress;

	private volatile boolean closed;

	/** A packet and when it is due at the other end. */
	private record Packet(byte[] bytes, long dueAt) {
	}

	/**
	 * Makes devices and namespace.
	 * @throws IOException if this machine or this user cannot
	 */
	TunLink(Character character, int sinkPort) throws IOException {
		this.sinkPort = sinkPort;
		this.delayNanos = character.delayNanos();
		if (!Files.isWritable(Path.of(Tun.CLONE_DEVICE))) {
			throw new IOException(Tun.CLONE_DEVICE + " cannot be opened");
		}
		try {
			Tun near = Tun.open(NAME + "%d");
			this.devices.add(near);
			int number = Integer.parseInt(near.name().substring(NAME.length())) % 256;
			this.sinkAddress = ADDRESS.formatted(number, 1);
			String clientAddress = ADDRESS.formatted(number, 2);
			up(near, this.sinkAddress, clientAddress);
			Tun far = there(() -> {
				Tun.unshareNetwork();
				Tun device = Tun.open(NAME + "%d");
				this.devices.add(device);
				up(device, clientAddress, this.sinkAddress);
				return device;
			});
			pass(near, far, new Lane(character.nanosPerByte()));
			pass(far, near, new Lane(character.nanosPerByte()));
		}
		catch (IOException | RuntimeException ex) {
			close();
			throw ex;
		}
	}

	@Override
	public String sinkAddress() {
		return this.sinkAddress;
	}

	@Override
	public String target() {
		return this.sinkAddress + ":" + this.sinkPort;
	}

	@Override
	public JavaProcess launch(JavaProcess.Builder client) {
		try {
			return there(client::launch);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String words() {
		return "two TUN devices and a network namespace: real TCP, its rate is that of packets of IP of at most %,d bytes, what finds %d KB waiting is dropped"
			.formatted(Tun.MTU, QUEUE_BYTES / 1024);
	}

	/** On the thread whose namespace is at the other end. */
	private <T> T there(Callable<T> task) throws IOException {
		Future<T> done = this.farEnd.submit(task);
		try {
			return done.get();
		}
		catch (ExecutionException ex) {
			switch (ex.getCause()) {
				case IOException cause -> throw cause;
				case RuntimeException cause -> throw cause;
				case null, default -> throw new IllegalStateException(ex);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted", ex);
		}
	}

	private static void up(Tun device, String own, String other) throws IOException {
		ip("address", "add", own, "peer", other, "dev", device.name());
		ip("link", "set", device.name(), "up");
	}

	private static void ip(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of("ip"));
		command.addAll(List.of(arguments));
		Process ip = new ProcessBuilder(command).redirectErrorStream(true).start();
		try {
			String said = new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (!ip.waitFor(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS) || ip.exitValue() != 0) {
				throw new IOException("%s: %s".formatted(String.join(" ", command), said.strip()));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted", ex);
		}
	}

	private void pass(Tun from, Tun to, Lane lane) {
		BlockingQueue<Packet> onItsWay = new LinkedBlockingQueue<>();
		AtomicInteger waiting = new AtomicInteger();
		start("link-in", () -> {
			byte[] packet = new byte[Tun.MTU];
			while (!this.closed) {
				int length = from.read(packet, PATIENCE);
				if (length > 0 && waiting.get() + length <= QUEUE_BYTES) {
					waiting.addAndGet(length);
					onItsWay.add(new Packet(Arrays.copyOf(packet, length), lane.leave(length) + this.delayNanos));
				}
			}
			return null;
		});
		start("link-out", () -> {
			while (!this.closed) {
				Packet next = onItsWay.poll(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
				if (next != null) {
					for (long left = next.dueAt() - System.nanoTime(); left > 0; left = next.dueAt()
							- System.nanoTime()) {
						LockSupport.parkNanos(left);
					}
					to.write(next.bytes());
					waiting.addAndGet(-next.bytes().length);
				}
			}
			return null;
		});
	}

	private void start(String name, Callable<Void> passing) {
		this.threads.add(Thread.ofPlatform().daemon().name(name).start(() -> {
			try {
				passing.call();
			}
			catch (Exception ex) {
				// Whoever uses the link sees that nothing comes any more.
				System.err.printf("%s has ended: %s%n", name, ex);
			}
		}));
	}

	@Override
	public void close() throws IOException {
		this.closed = true;
		boolean interrupted = Thread.interrupted();
		for (Thread thread : this.threads) {
			try {
				thread.join(TIMEOUT);
			}
			catch (InterruptedException _) {
				interrupted = true;
			}
		}
		this.farEnd.shutdown();
		for (Tun device : this.devices) {
			device.close();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
