@NullMarked
package dev.sluice.lab.statistics;

import org.jspecify.annotations.NullMarked;
