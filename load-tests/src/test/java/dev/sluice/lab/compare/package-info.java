@NullMarked
package dev.sluice.lab.compare;

import org.jspecify.annotations.NullMarked;
