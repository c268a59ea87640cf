@NullMarked
package dev.sluice.lab.report.page;

import org.jspecify.annotations.NullMarked;
