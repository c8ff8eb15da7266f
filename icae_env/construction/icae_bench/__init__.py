"""Import a corpus in the layout of ICAE-Bench (ALEX-nlp/ICAE-EVAL) as task folders."""

from icae_env.construction.icae_bench.importer import Imported, ImportReport, Skipped, import_corpus

__all__ = ["ImportReport", "Imported", "Skipped", "import_corpus"]
