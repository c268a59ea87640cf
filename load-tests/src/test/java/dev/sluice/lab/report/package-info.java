@NullMarked
package dev.sluice.lab.report;

import org.jspecify.annotations.NullMarked;
