@NullMarked
package dev.sluice.lab.bundle;

import org.jspecify.annotations.NullMarked;
