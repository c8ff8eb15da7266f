"""One self-contained HTML page of a report, with a viewer of every trajectory."""

from icae_env.reports.html.document import page

__all__ = ["page"]
