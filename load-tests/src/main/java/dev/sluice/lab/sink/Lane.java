package dev.sluice.lab.sink;

/** One direction of a link: hands out the time at which bytes have left. Thread-safe. */
final class Lane {

	private final double nanosPerByte;

	private long freeAt = System.nanoTime();

	Lane(double nanosPerByte) {
		this.nanosPerByte = nanosPerByte;
	}

	/** When so many bytes more have left, as of {@link System#nanoTime()}. */
	synchronized long leave(int bytes) {
		this.freeAt = Math.max(this.freeAt, System.nanoTime()) + (long) (bytes * this.nanosPerByte);
		return this.freeAt;
	}

}
