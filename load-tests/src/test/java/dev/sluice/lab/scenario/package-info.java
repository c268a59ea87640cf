@NullMarked
package dev.sluice.lab.scenario;

import org.jspecify.annotations.NullMarked;
