"""Where rows go beside the trace: the thread each sink has, and sinks for the trackers people use."""
