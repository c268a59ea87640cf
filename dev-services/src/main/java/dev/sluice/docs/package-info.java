/**
 * Parts of the documents that are made from the code, for the tests that compare them.
 */
@NullMarked
package dev.sluice.docs;

import org.jspecify.annotations.NullMarked;
