package dev.sluice.lab.proof;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.ProveResult;

/** The sections of {@code lab prove}, in the order of the page. */
public final class ProofSections {

	private ProofSections() {
	}

	public static List<Section> of(ProveResult prove) {
		List<Section> sections = new ArrayList<>();
		sections.add(new VerdictSection(prove.proofs()));
		for (ProofResult proof : prove.proofs()) {
			sections.add(new ProofSection(proof));
		}
		return sections;
	}

}
