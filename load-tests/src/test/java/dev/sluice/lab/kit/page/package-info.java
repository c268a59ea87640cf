@NullMarked
package dev.sluice.lab.kit.page;

import org.jspecify.annotations.NullMarked;
