@NullMarked
package dev.sluice.lab.history;

import org.jspecify.annotations.NullMarked;
