@NullMarked
package dev.sluice.lab.kit.result;

import org.jspecify.annotations.NullMarked;
