package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

import com.sun.net.httpserver.HttpServer;

/** The main class of the tests' child JVMs. The first argument says what to do. */
final class ChildMain {

	private ChildMain() {
	}

	public static void main(String[] args) throws IOException, InterruptedException {
		switch (args[0]) {
			case "serve" -> {
				HttpServer server = HttpServer
					.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1])), 0);
				server.createContext("/health", (exchange) -> {
					exchange.sendResponseHeaders(200, -1);
					exchange.close();
				});
				server.start();
			}
			case "fail" -> {
				System.out.println("the reason of the failure");
				System.exit(3);
			}
			case "wait" -> {
				System.out.println("waiting with " + System.getProperty("greeting"));
				Thread.currentThread().join();
			}
			case "chatter" -> {
				System.out.println("waiting");
				for (int i = 0; i < 10_000; i++) {
					System.out.println("line " + i + " of many");
				}
				Files.createFile(Path.of(args[1]));
				Thread.currentThread().join();
			}
			case "ready-once" -> {
				if (!Path.of(args[1]).toFile().createNewFile()) {
					System.exit(3);
				}
				System.out.println("waiting");
				Thread.currentThread().join();
			}
			case "ignore-sigterm" -> {
				Runtime.getRuntime().addShutdownHook(new Thread(ChildMain::sleepLong));
				System.out.println("waiting");
				Thread.currentThread().join();
			}
			case "parent" -> {
				JavaProcess child = JavaProcess.mainClass(ChildMain.class.getName())
					.args("wait")
					.logFile(Path.of(args[1]).resolveSibling("grandchild.log"))
					.launch();
				Path pidFile = Path.of(args[1]);
				Path complete = Files.writeString(pidFile.resolveSibling("pid.part"), Long.toString(child.pid()));
				Files.move(complete, pidFile);
				Thread.currentThread().join();
			}
			default -> throw new IllegalArgumentException(args[0]);
		}
	}

	private static void sleepLong() {
		try {
			Thread.sleep(600_000);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

}
