/**
 * What every page of a report is made of: markup that escapes by construction, tables,
 * charts, figures for people, marks. Knows no experiment. Start at
 * {@link dev.sluice.lab.kit.page.Section}.
 */
@NullMarked
package dev.sluice.lab.kit.page;

import org.jspecify.annotations.NullMarked;
