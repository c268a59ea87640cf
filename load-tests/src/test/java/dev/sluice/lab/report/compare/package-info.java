@NullMarked
package dev.sluice.lab.report.compare;

import org.jspecify.annotations.NullMarked;
