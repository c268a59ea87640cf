package dev.sluice.lab.proof;

import java.time.Duration;
import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.RunResult;

/** All proofs and their verdicts. */
final class VerdictSection extends Section {

	private final List<ProofResult> proofs;

	VerdictSection(List<ProofResult> proofs) {
		super("verdict", "Does every proof hold?");
		this.proofs = proofs;
	}

	@Override
	public List<String> answers(RunResult run) {
		long holding = this.proofs.stream().filter(ProofResult::holds).count();
		return List.of((holding == this.proofs.size() && holding > 0)
				? "Yes, %s.".formatted((holding == 1) ? "the one" : "all " + Figures.count(holding))
				: "No: %s of %s.".formatted(Figures.count(holding), Figures.count(this.proofs.size())));
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p", answers(run).getFirst(), "class", "answer");
		Table table = new Table("Proofs", 3, List.of("Proof", "Question", "Verdict", "checks", "took"));
		this.proofs.forEach((proof) -> table.row(proof.proof(), proof.question(), Verdicts.of(proof),
				Figures.count(proof.checks().size()), Figures.duration(Duration.ofMillis(proof.millis()))));
		table.write(html);
	}

}
