/**
 * Parts of documents that are generated from the code, for the tests that compare them.
 */
@NullMarked
package dev.sluice.docs;

import org.jspecify.annotations.NullMarked;
