"""Score submissions: snapshot, replay in fresh sandboxes, comparison on the host, report, gaps."""
