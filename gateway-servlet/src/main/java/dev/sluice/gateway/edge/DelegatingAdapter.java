package dev.sluice.gateway.edge;

import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.tomcat.util.net.SocketEvent;

/** An adapter that passes every call on. */
abstract class DelegatingAdapter implements Adapter {

	private final Adapter delegate;

	DelegatingAdapter(Adapter delegate) {
		this.delegate = delegate;
	}

	@Override
	public void service(Request request, Response response) throws Exception {
		this.delegate.service(request, response);
	}

	@Override
	public boolean asyncDispatch(Request request, Response response, SocketEvent event) throws Exception {
		return this.delegate.asyncDispatch(request, response, event);
	}

	@Override
	public boolean prepare(Request request, Response response) throws Exception {
		return this.delegate.prepare(request, response);
	}

	@Override
	public void log(Request request, Response response, long time) {
		this.delegate.log(request, response, time);
	}

	@Override
	public void checkRecycled(Request request, Response response) {
		this.delegate.checkRecycled(request, response);
	}

	@Override
	public String getDomain() {
		return this.delegate.getDomain();
	}

}
