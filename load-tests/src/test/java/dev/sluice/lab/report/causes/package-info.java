@NullMarked
package dev.sluice.lab.report.causes;

import org.jspecify.annotations.NullMarked;
