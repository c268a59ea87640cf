@NullMarked
package dev.sluice.lab.kit.bundle;

import org.jspecify.annotations.NullMarked;
