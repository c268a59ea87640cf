@NullMarked
package dev.sluice.lab.causes;

import org.jspecify.annotations.NullMarked;
