package dev.sluice.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test, or a class of tests, in which requests wait: for a client, Kafka, PostgreSQL or
 * the backend. There the thread models of a gateway differ most.
 *
 * @see OnlyThreads
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface HoldsThread {

}
