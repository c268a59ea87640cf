package dev.sluice.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * An order as a client sends it, as Kafka keeps it and as the backend receives it. The
 * annotations state the contract; a service that receives orders from outside validates
 * them.
 *
 * @param customerId 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}; the Kafka key
 * @param items 1 to 100 items; copied
 * @param note free text of at most 500 characters, or null
 */
@JsonInclude(Include.NON_NULL)
public record Order(
		@NotNull @Pattern(regexp = IDENTIFIER,
				message = "must be 1 to 64 characters of A-Z a-z 0-9 . _ -") String customerId,
		@NotNull @Size(min = 1, max = 100) List<@NotNull @Valid OrderItem> items,
		@Size(max = 500) @Nullable String note) {

	static final String IDENTIFIER = "[A-Za-z0-9._-]{1,64}";

	/** Maximum size of a request body that a gateway reads, in bytes. */
	public static final int MAX_BYTES = 64 * 1024;

	public Order {
		// Not List.copyOf: a null list or element must reach validation, which names it.
		items = (items != null) ? Collections.unmodifiableList(new ArrayList<>(items)) : items;
	}

}
