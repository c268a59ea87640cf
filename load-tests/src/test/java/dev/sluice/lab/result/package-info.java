@NullMarked
package dev.sluice.lab.result;

import org.jspecify.annotations.NullMarked;
