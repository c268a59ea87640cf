/**
 * The parts of every report page: markup that escapes by construction, tables, charts,
 * formatted figures, marks. Independent of any experiment. Start at
 * {@link dev.sluice.lab.kit.page.Section}.
 */
@NullMarked
package dev.sluice.lab.kit.page;

import org.jspecify.annotations.NullMarked;
