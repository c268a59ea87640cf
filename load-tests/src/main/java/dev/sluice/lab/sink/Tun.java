package dev.sluice.lab.sink;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A network device of Linux whose packets this process reads and writes. It is made in
 * the network namespace of the calling thread, and is gone when it is closed or the
 * process ends, however it ends. One thread may read while another writes; neither may
 * while it is closed.
 */
final class Tun implements AutoCloseable {

	/** The largest packet, in bytes: the device's MTU as Linux sets it. */
	static final int MTU = 1_500;

	/** To be asked for before this class is loaded, which fails where it is not Linux. */
	static final String CLONE_DEVICE = "/dev/net/tun";

	/** O_RDWR and O_CLOEXEC: no child of this process keeps the device. */
	private static final int READ_WRITE_CLOSE_ON_EXEC = 02000002;

	private static final long TUNSETIFF = 0x400454ca;

	/** IFF_TUN and IFF_NO_PI: packets of IP with nothing before them. */
	private static final short PACKETS_ONLY = 0x1001;

	private static final int CLONE_NEWNET = 0x40000000;

	private static final short POLLIN = 1;

	/** {@code struct ifreq}: a name of at most 15 characters, and then the flags. */
	private static final int REQUEST_BYTES = 40;

	private static final int FLAGS_OFFSET = 16;

	private static final Linker LINKER = Linker.nativeLinker();

	private static final StructLayout STATE = Linker.Option.captureStateLayout();

	private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

	private static final MethodHandle OPEN = function("open",
			FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
			Linker.Option.firstVariadicArg(2));

	private static final MethodHandle IOCTL = function("ioctl", FunctionDescriptor.of(ValueLayout.JAVA_INT,
			ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS), Linker.Option.firstVariadicArg(2));

	private static final MethodHandle POLL = function("poll", FunctionDescriptor.of(ValueLayout.JAVA_INT,
			ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

	private static final MethodHandle READ = function("read", FunctionDescriptor.of(ValueLayout.JAVA_LONG,
			ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

	private static final MethodHandle WRITE = function("write", FunctionDescriptor.of(ValueLayout.JAVA_LONG,
			ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

	private static final MethodHandle CLOSE = function("close",
			FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

	private static final MethodHandle UNSHARE = function("unshare",
			FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

	private final int descriptor;

	private final String name;

	private Tun(int descriptor, String name) {
		this.descriptor = descriptor;
		this.name = name;
	}

	/**
	 * Makes a device, which is down and has no address.
	 * @param pattern of its name, with {@code %d} for the first number that is free
	 */
	static Tun open(String pattern) throws IOException {
		try (Arena arena = Arena.ofConfined()) {
			int descriptor = (int) call("open " + CLONE_DEVICE, OPEN, arena.allocateFrom(CLONE_DEVICE),
					READ_WRITE_CLOSE_ON_EXEC);
			try {
				MemorySegment request = arena.allocate(REQUEST_BYTES);
				request.setString(0, pattern, StandardCharsets.US_ASCII);
				request.set(ValueLayout.JAVA_SHORT, FLAGS_OFFSET, PACKETS_ONLY);
				call("make a device " + pattern, IOCTL, descriptor, TUNSETIFF, request);
				return new Tun(descriptor, request.getString(0, StandardCharsets.US_ASCII));
			}
			catch (IOException ex) {
				call("close", CLOSE, descriptor);
				throw ex;
			}
		}
	}

	/**
	 * Gives the calling thread, which must be a platform thread, a network namespace of
	 * its own: what it makes and the processes it starts are there.
	 */
	static void unshareNetwork() throws IOException {
		call("make a network namespace", UNSHARE, CLONE_NEWNET);
	}

	/** As the kernel has named it. */
	String name() {
		return this.name;
	}

	/**
	 * The next packet.
	 * @param packet where it goes, of at least {@link #MTU} bytes
	 * @return its length; 0 if none came in time
	 */
	int read(byte[] packet, Duration timeout) throws IOException {
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment poll = arena.allocate(8, 4);
			poll.set(ValueLayout.JAVA_INT, 0, this.descriptor);
			poll.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
			if (call("wait for " + this.name, POLL, poll, 1L, (int) timeout.toMillis()) == 0) {
				return 0;
			}
			MemorySegment buffer = arena.allocate(packet.length);
			int length = (int) call("read from " + this.name, READ, this.descriptor, buffer, (long) packet.length);
			MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, packet, 0, length);
			return length;
		}
	}

	void write(byte[] packet) throws IOException {
		try (Arena arena = Arena.ofConfined()) {
			call("write to " + this.name, WRITE, this.descriptor, arena.allocateFrom(ValueLayout.JAVA_BYTE, packet),
					(long) packet.length);
		}
	}

	@Override
	public void close() throws IOException {
		call("close " + this.name, CLOSE, this.descriptor);
	}

	private static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
		List<Linker.Option> all = new ArrayList<>(List.of(options));
		all.add(Linker.Option.captureCallState("errno"));
		return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor,
				all.toArray(Linker.Option[]::new));
	}

	/** Negative is failure, as for every function here. */
	private static long call(String what, MethodHandle function, Object... arguments) throws IOException {
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment state = arena.allocate(STATE);
			List<Object> all = new ArrayList<>(List.of(state));
			all.addAll(List.of(arguments));
			long result = ((Number) function.invokeWithArguments(all)).longValue();
			if (result < 0) {
				throw new IOException("Cannot %s: errno %d".formatted(what, (int) ERRNO.get(state, 0L)));
			}
			return result;
		}
		catch (IOException | RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new AssertionError("A function of C throws nothing", ex);
		}
	}

}
